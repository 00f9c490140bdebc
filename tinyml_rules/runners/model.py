"""Builds a compiled model's firmware, measures it, and runs samples on the target's runner."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tinyml_rules.compiler import Compiled
from tinyml_rules.errors import DoesNotFitError, ToolError, UsageError
from tinyml_rules.firmware.build import ModelObjects, build_image_around, compile_objects
from tinyml_rules.firmware.image import Image
from tinyml_rules.firmware.measure import ImageSize, check_fits, measure_image
from tinyml_rules.ir.graph import Array
from tinyml_rules.reporting.budgets import budgets_of, check_linked
from tinyml_rules.reporting.flash import with_flash
from tinyml_rules.reporting.report import Report
from tinyml_rules.runners import run_image
from tinyml_rules.runners.arrays import pack_samples
from tinyml_rules.runners.figures import describe_run, describe_size
from tinyml_rules.target.target import Target

TIMEOUT_S = 600


@dataclass(frozen=True)
class Outcome:
    """The outputs of the model for each sample (raw int8, port after port), and all figures."""

    output: bytes
    report: Report


def run_on_arrays(
    compiled: Compiled,
    target: Target,
    inputs: Mapping[str, Array],
    *,
    where: str,
    folder: Path | None = None,
) -> Outcome:
    """`run_model` on the inputs by tensor name, in `folder` or in one that is gone afterwards.

    `where`: the name in errors about the inputs.
    """
    samples = pack_samples(compiled.interface, inputs, where=where)
    if not samples:
        raise UsageError.at(where, "no samples")
    with tempfile.TemporaryDirectory(prefix="tinyml-") as temporary:
        return run_model(compiled, target, samples, folder=folder or Path(temporary))


def run_model(compiled: Compiled, target: Target, samples: bytes, *, folder: Path) -> Outcome:
    """Build into `folder`, measure the minimal firmware, run the test image on `samples`.

    Raises DoesNotFitError if the firmware exceeds the part, ToolError for a tool's failure and if
    only the larger test image does not fit.
    """
    model, size = build_minimal(compiled, target, folder=folder)
    image = _test_image(target, model)
    result = run_image(
        target, image, samples, invoke_symbol=image.invoke_symbol, timeout_s=TIMEOUT_S
    )
    report = with_flash(replace(compiled.report, build=describe_size(size, target)))
    run = describe_run(result, target, compiled.interface)
    return Outcome(result.output, replace(report, run=run))


def build_minimal(
    compiled: Compiled, target: Target, *, folder: Path
) -> tuple[ModelObjects, ImageSize]:
    """The model's objects, and the size of the minimal firmware around them.

    Raises DoesNotFitError and OverBudgetError if that exceeds the part or a budget, ToolError for a
    tool's failure, UsageError for a model that calls functions which only the user's firmware has,
    and for a budget that is not measured.
    """
    if compiled.interface.functions:
        what = f"calls C functions of your own firmware: {', '.join(compiled.interface.functions)}"
        hint = "compile it, and link it into that firmware"
        raise UsageError.at(compiled.interface.name, what, hint=hint)
    model = compile_objects(
        target, sources=compiled.sources, interface=compiled.interface, folder=folder
    )
    size = measure_image(target, build_image_around(target, model, kind="minimal"))
    name, budgets = compiled.interface.name, budgets_of(compiled.report)
    check_fits(target, size, where=name)
    check_linked(describe_size(size, target), budgets, where=name)
    return model, size


def build_test(compiled: Compiled, target: Target, *, folder: Path) -> Image:
    """The test image alone, of a model of which a minimal one can be built.  Raises ToolError."""
    model = compile_objects(
        target, sources=compiled.sources, interface=compiled.interface, folder=folder
    )
    return _test_image(target, model, is_watched=bool(compiled.watches))


def _test_image(target: Target, model: ModelObjects, *, is_watched: bool = False) -> Image:
    try:
        return build_image_around(target, model, kind="test", is_watched=is_watched)
    except DoesNotFitError as error:
        what = f"the firmware fits, but not the test image: {error.problems[0].what}"
        raise ToolError.at(model.interface.name, what) from error
