"""The compiler's first stages, with this package's operators."""

from __future__ import annotations

from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Graph
from tinyml_rules.ir.program import Program
from tinyml_rules.ir.rounding_reference import RoundingReference
from tinyml_rules.lower.choice import Choice, Optimize
from tinyml_rules.lower.select import select
from tinyml_rules.model_file.reader import read_model
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops import builtin_operators
from tinyml_rules.passes import run_passes
from tinyml_rules.passes.check import check


def read(model: ModelSpec | bytes, *, name: str = "model") -> Graph:
    """The file as it was written."""
    data = build_model(model) if isinstance(model, ModelSpec) else model
    return read_model(data, name=name, operators=builtin_operators())


def checked(model: ModelSpec | bytes, *, name: str = "model") -> Graph:
    """The same, once it was judged."""
    return check(read(model, name=name), builtin_operators())


def passed(
    model: ModelSpec | bytes,
    *,
    name: str = "model",
    reference: RoundingReference = RoundingReference.TFLM,
) -> Graph:
    """What the compiler makes of it before it chooses kernels."""
    return run_passes(read(model, name=name).of_reference(reference), builtin_operators())


def selected(
    model: ModelSpec | bytes,
    *,
    features: frozenset[Feature] = frozenset(),
    name: str = "model",
    goal: Optimize = Optimize.BALANCED,
) -> Program:
    """The kernels that it chooses for a part with `features`."""
    return select(passed(model, name=name), features, builtin_operators(), choice=Choice(goal))
