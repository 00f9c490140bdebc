"""The features of processors that kernels ask for, and what C needs where a kernel uses one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Feature:
    """A capability that a variant of a kernel may ask for.

    Where its C cannot be compiled without, `words` say what for, and `macros` are the condition by
    which a compiler tells; both are empty for what is only faster.
    """

    meaning: str
    words: str = ""
    macros: str = ""


_XTENSA = ("an Xtensa", "defined __XTENSA__")
FEATURES: Mapping[str, Feature] = {
    "flash_address_space": Feature(
        "constants stay in flash only as `__flash` (GCC's named address space)",
        "an AVR, and GCC's own dialects (-std=gnu11)",
        "defined __FLASH && !defined __STRICT_ANSI__",
    ),
    "avr": Feature(
        "8-bit AVR with a multiplier: inline assembly, few registers",
        "an AVR with a multiplier, and GCC's own dialects (-std=gnu11)",
        "defined __AVR_HAVE_MUL__",
    ),
    "far_flash": Feature(
        "flash exceeds what 16-bit addresses reach; weights may lie beyond, as `__memx`",
        "an AVR with more than 64 kB of flash, and GCC's own dialects (-std=gnu11)",
        "defined __AVR_HAVE_ELPMX__",
    ),
    "registers_32": Feature(
        "a dozen 32-bit registers: four sums at once, a patch of input on the stack"
    ),
    "thumb": Feature(
        "Arm's Thumb instructions: in assembly, sums in more registers than a compiler finds"
    ),
    "dsp": Feature(
        "Arm's DSP extension: two 16-bit products a multiply-accumulate",
        "a Cortex-M with the DSP extension",
        "defined __ARM_FEATURE_DSP",
    ),
    "mve": Feature(
        "Arm's Helium: vectors of sixteen bytes",
        "a Cortex-M with Helium",
        "defined __ARM_FEATURE_MVE",
    ),
    "riscv": Feature(
        "RISC-V of 32 bits with a multiplier and all registers",
        "an RV32 with multiplication",
        "defined __riscv_mul && __riscv_xlen == 32 && !defined __riscv_32e",
    ),
    "flash_words": Feature(
        "constants can be loaded from flash as aligned words only; Xtensa instructions", *_XTENSA
    ),
    "mul16s": Feature("Xtensa's product of two signed numbers of 16 bits", *_XTENSA),
    "mac16": Feature("Xtensa's 40-bit accumulator of products of 16 bits (MAC16)", *_XTENSA),
    "multiply_64": Feature(
        "the product of two int32 as int64 takes a few cycles, not a library call"
    ),
}
"""Every feature that there is; of those that one part has, the last one says the most."""

INT_OF_32_BITS = Feature(
    "C's `int` holds more than 32,767",
    "a processor whose int has 32 bits",
    "(!defined __INT_MAX__ || __INT_MAX__ > 32767)",
)
"""What all C needs that is for a part with such an `int`."""
