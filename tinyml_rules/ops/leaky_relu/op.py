"""LEAKY_RELU: its option, and what may be wrong with a node of int8."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tinyml_rules.ir.c_struct import Float32
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.pointwise import check_factor


@dataclass(frozen=True)
class Attrs:
    """Options of the node."""

    alpha: float = option(0, "float32", default=0.0)


def check(view: NodeView) -> Iterator[str]:
    """Neither factor shifts beyond int32."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    yield from check_factor(view)
    factor = abs(attrs.alpha) * view["input"].scale / view.output.scale
    if not factor < constraints.MAX_FACTOR:  # no number is not below it either
        yield f"alpha is {attrs.alpha:g}, too large for the scales of input and output"


@dataclass(frozen=True)
class RealParams:
    """Members of the C struct for real numbers."""

    alpha: Float32


def real_params(view: NodeView) -> RealParams:
    """From the options."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    return RealParams(attrs.alpha)
