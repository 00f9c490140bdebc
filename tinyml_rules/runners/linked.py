"""Runs a test image that a build system has linked, and compares its outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tinyml_rules.firmware.image import Image
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.interface import Interface
from tinyml_rules.reporting.budgets import check_run
from tinyml_rules.reporting.firmware import Profile, Run
from tinyml_rules.runners import run_image
from tinyml_rules.runners.arrays import check_outputs, pack_samples, unpack_samples
from tinyml_rules.runners.figures import describe_run, equal_summary
from tinyml_rules.target.target import Target

TIMEOUT_S = 600.0


@dataclass(frozen=True)
class Linked:
    """A test image of a model for `target`, and the file of its weights if they are external."""

    target: Target
    interface: Interface
    elf: Path
    weights: Path | None

    @property
    def image(self) -> Image:
        """What was linked."""
        return Image(
            name=self.interface.name,
            invoke_symbol=self.interface.entry,
            kind="test",
            elf=self.elf,
            map_file=self.elf.with_suffix(".map"),
            objects=(),
            model_objects=(),
            weights=self.weights,
        )


def run_linked(
    linked: Linked, inputs: Mapping[str, Array], *, where: str, cache: Path
) -> tuple[dict[str, Array], Run | None]:
    """Outputs by tensor name, with a leading axis of samples, and the figures of the run.

    `where`: the name in errors about the inputs.  `cache`: where the runner's own program is kept.
    """
    interface, image = linked.interface, linked.image
    samples = pack_samples(interface, inputs, where=where)
    result = run_image(linked.target, image, samples, timeout_s=TIMEOUT_S, cache=cache)
    run = describe_run(result, linked.target, interface)
    return unpack_samples(interface, result.output), run


def check_linked(
    linked: Linked,
    vectors: Mapping[str, Array],
    *,
    where: str,
    cache: Path,
    budgets: Mapping[str, float],
    profiled: Callable[[dict[str, Array], Run | None], Profile | None] = lambda *_: None,
) -> str:
    """Run it on the inputs of `vectors`; returns a line if all outputs are as expected there,
    raises WrongOutputError otherwise, and OverBudgetError.

    `profiled`: of outputs and figures, the profile that names the slowest nodes where a budget is
    broken.
    """
    interface, target = linked.interface, linked.target
    outputs, run = run_linked(linked, vectors, where=where, cache=cache)
    check_outputs(interface, outputs, vectors, where=f"{interface.name} on {target.name}")
    check_run(run, budgets, where=interface.name, profiled=lambda: profiled(outputs, run))
    count = len(next(iter(outputs.values())))
    return equal_summary(interface.name, target, samples=count, run=run)
