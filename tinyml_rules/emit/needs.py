"""What the generated C asks of a compiler: features of the target that it cannot do without.

Only what the chosen kernels and pieces really use counts, so that portable code stays portable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from tinyml_rules.cores import cores_of
from tinyml_rules.ir.features import INT_OF_32_BITS, Feature, Need
from tinyml_rules.ir.program import Step
from tinyml_rules.target.target import Target


def needs_of(steps: Iterable[Step], pieces: Iterable[Path], target: Target) -> tuple[Need, ...]:
    """What kernels and files of runtime pieces use, the one that says the most at the end."""
    used = {feature for step in steps for feature in _of_step(step)}
    cores = cores_of(target.features)
    used |= {
        feature
        for file in pieces
        for core in cores
        if _is_below(file, core.folder)
        for feature in core.needs
    }
    if Feature.FLASH_ADDRESS_SPACE in target.features:  # every table is there
        used.add(Feature.FLASH_ADDRESS_SPACE)
    needs = (each.need for each in Feature if each in used & target.features)
    found = dict.fromkeys(need for need in needs if need is not None)
    is_wide = target.int_max > 2**15 - 1
    return (*((INT_OF_32_BITS,) if is_wide else ()), *found)


@cache
def _is_below(file: Path, folder: Path) -> bool:
    return file.is_relative_to(folder)


def _of_step(step: Step) -> Iterator[Feature]:
    yield from step.kernel.requires
    if step.kernel.is_far:
        yield Feature.FAR_FLASH
