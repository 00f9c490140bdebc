"""Which processors run a compiled model: the condition that a C compiler checks.

Generated C for one target may well compile for another and be wrong or slow there, or fail with
messages that nobody understands.  <name>.c is the same whatever builds it, so that each package has
a file of its own that stops the build.
"""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.target.target import Target

_ARCHITECTURES = {
    "arm": ("an Arm Cortex-M", "defined(__arm__)"),
    "avr": ("an AVR with a multiplier", "defined(__AVR__) && defined(__AVR_HAVE_MUL__)"),
    "host": ("a processor with an int of 32 bits", "INT_MAX > 32767"),
    "riscv": ("a RISC-V", "defined(__riscv)"),
    "xtensa": ("an Xtensa", "defined(__XTENSA__)"),
}
_FEATURES = {
    "dsp": (" with the DSP extension", "defined(__ARM_FEATURE_DSP)"),
    "mve": (" with Helium", "defined(__ARM_FEATURE_MVE)"),
}


@dataclass(frozen=True)
class Processor:
    """`words` for a person, `condition` for the preprocessor of C."""

    words: str
    condition: str


def processor_of(target: Target) -> Processor:
    """What a processor needs to run what was compiled for `target`."""
    words, condition = _ARCHITECTURES[target.architecture]
    for feature, (more_words, more_condition) in _FEATURES.items():
        if feature in target.features:
            words += more_words
            condition += f" && {more_condition}"
    return Processor(words, condition)
