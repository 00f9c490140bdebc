"""What the generated C asks of a compiler, by the macros that GCC and Clang define by themselves.

Only what the chosen kernels and pieces really use counts, so that portable code stays portable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tinyml_rules.ir.program import Step


@dataclass(frozen=True)
class Need:
    """A condition of the preprocessor, and what it stands for in an error."""

    condition: str
    words: str


_OF_FEATURES = {
    "flash_address_space": Need("defined __FLASH", "an AVR"),
    "avr": Need("defined __AVR__", "an AVR"),
    "far_flash": Need("defined __AVR_HAVE_ELPM__", "an AVR with more than 64 kB of flash"),
    "dsp": Need("defined __ARM_FEATURE_DSP", "a Cortex-M with the DSP extension"),
    "mve": Need("defined __ARM_FEATURE_MVE", "a Cortex-M with Helium"),
    "mul16s": Need("defined __XTENSA__", "an Xtensa"),
}
"""By feature of a target; those that are not here are met by every compiler."""
_INT_OF_32_BITS = Need(
    "(!defined __INT_MAX__ || __INT_MAX__ > 32767)", "a processor whose int has 32 bits"
)
_INT_OF_16_BITS = "avr"
"""The feature of the targets whose `int` has 16 bits: code for them counts no further."""


def needs_of(
    steps: Iterable[Step], pieces: Iterable[Path], features: frozenset[str]
) -> tuple[Need, ...]:
    """What kernels and files of runtime pieces use of a target's features, the widest first."""
    used = {feature for step in steps for feature in _of_step(step)}
    used |= {part for file in pieces for part in file.name.split(".")[1:]}
    if "flash_address_space" in features:  # every table lies there
        used.add("flash_address_space")
    found = [need for feature, need in _OF_FEATURES.items() if feature in used & features]
    if _INT_OF_16_BITS not in features:
        found.insert(0, _INT_OF_32_BITS)
    return tuple(found)


def _of_step(step: Step) -> Iterator[str]:
    yield from step.kernel.requires
    if step.kernel.is_far:
        yield "far_flash"
