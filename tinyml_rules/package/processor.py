"""The processors that run a compiled model, as a condition that a C compiler checks.

Generated C for one target may compile for another and be wrong or slow there, or fail with messages
that do not name the cause.  <name>.c is the same in every package, so each package has a file of
its own that stops the build.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tinyml_rules.ir.features import INT_OF_32_BITS, Need
from tinyml_rules.target.target import Target

_ARCHITECTURES = {
    "arm": ("a Cortex-M", "defined __arm__"),
    "avr": ("an AVR", "defined __AVR__"),
    "host": (INT_OF_32_BITS.words, INT_OF_32_BITS.macros),
    "riscv": ("a RISC-V", "defined __riscv"),
    "xtensa": ("an Xtensa", "defined __XTENSA__"),
}


@dataclass(frozen=True)
class Processor:
    """`words` for a person, `condition` for the preprocessor of C."""

    words: str
    condition: str


def processor_of(target: Target, needs: Sequence[Need]) -> Processor:
    """What a processor needs to run C that was compiled for `target` and has these `needs`."""
    words, condition = _ARCHITECTURES[target.architecture]
    own = [each for each in needs if each != INT_OF_32_BITS]
    conditions = dict.fromkeys((condition, *(each.macros for each in own)))
    return Processor(own[-1].words if own else words, " && ".join(conditions))
