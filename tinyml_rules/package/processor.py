"""Which processors run a compiled model: the condition that a C compiler checks.

Generated C for one target may well compile for another and be wrong or slow there, or fail with
messages that nobody understands.  <name>.c is the same whatever builds it, so that each package has
a file of its own that stops the build.
"""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.target.features import FEATURES, INT_OF_32_BITS
from tinyml_rules.target.target import Target

_ARCHITECTURES = {
    "arm": ("a Cortex-M", "defined __arm__"),
    "avr": ("an AVR", "defined __AVR__"),
    "host": (INT_OF_32_BITS.words, INT_OF_32_BITS.macros),
    "riscv": ("a RISC-V", "defined __riscv"),
    "xtensa": ("an Xtensa", "defined __XTENSA__"),
}
_OF_SOME_MODELS = frozenset(("far_flash",))
"""Features of a part that only its larger models need."""


@dataclass(frozen=True)
class Processor:
    """`words` for a person, `condition` for the preprocessor of C."""

    words: str
    condition: str


def processor_of(target: Target) -> Processor:
    """What a processor needs to run what was compiled for `target`."""
    words, condition = _ARCHITECTURES[target.architecture]
    features = target.features - _OF_SOME_MODELS
    needs = [each for name, each in FEATURES.items() if name in features and each.macros]
    conditions = dict.fromkeys((condition, *(each.macros for each in needs)))
    return Processor(needs[-1].words if needs else words, " && ".join(conditions))
