"""What the generated C asks of a compiler: features of the target that it cannot do without.

Only what the chosen kernels and pieces really use counts, so that portable code stays portable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from tinyml_rules.ir.program import Step
from tinyml_rules.target.features import FEATURES, INT_OF_32_BITS, Feature
from tinyml_rules.target.target import Target


def needs_of(steps: Iterable[Step], pieces: Iterable[Path], target: Target) -> tuple[Feature, ...]:
    """What kernels and files of runtime pieces use, the one that says the most at the end."""
    used = {feature for step in steps for feature in _of_step(step)}
    used |= {part for file in pieces for part in file.name.split(".")[1:]}
    if "flash_address_space" in target.features:  # every table lies there
        used.add("flash_address_space")
    names = (name for name in FEATURES if name in used & target.features)
    found = {FEATURES[name].macros: FEATURES[name] for name in names if FEATURES[name].macros}
    is_wide = target.int_max > 2**15 - 1
    return (*((INT_OF_32_BITS,) if is_wide else ()), *found.values())


def _of_step(step: Step) -> Iterator[str]:
    yield from step.kernel.requires
    if step.kernel.is_far:
        yield "far_flash"
