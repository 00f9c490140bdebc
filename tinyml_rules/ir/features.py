"""The features that kernels ask for: of processors, and of where the weights are."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True)
class Need:
    """What C cannot be compiled without: `words` say what for, `macros` are the condition by which
    a compiler tells."""

    words: str
    macros: str


INT_OF_32_BITS = Need(
    "a processor whose int has 32 bits", "(!defined __INT_MAX__ || __INT_MAX__ > 32767)"
)
"""What all C needs that is for a part whose `int` holds more than 32,767."""

_XTENSA = Need("an Xtensa", "defined __XTENSA__")


class Feature(StrEnum):
    """A capability that a kernel, or a core, may ask for; its value is the word in a target.toml.

    Of those that one part has, the last one says the most.
    """

    meaning: str
    need: Need | None
    """What C needs that uses it; None for what is only faster."""

    def __new__(cls, word: str, meaning: str = "", need: Need | None = None) -> Feature:
        """A member; `Feature(word)` finds it again."""
        self = str.__new__(cls, word)
        self._value_ = word
        self.meaning = meaning
        self.need = need
        return self

    FLASH_ADDRESS_SPACE = (
        "flash_address_space",
        "constants stay in flash only as `__flash` (GCC's named address space)",
        Need(
            "an AVR, and GCC's own dialects (-std=gnu11)",
            "defined __FLASH && !defined __STRICT_ANSI__",
        ),
    )
    AVR = (
        "avr",
        "8-bit AVR with a multiplier: inline assembly, few registers",
        Need(
            "an AVR with a multiplier, and GCC's own dialects (-std=gnu11)",
            "defined __AVR_HAVE_MUL__",
        ),
    )
    FAR_FLASH = (
        "far_flash",
        "flash exceeds what 16-bit addresses reach; weights may lie beyond, as `__memx`",
        Need(
            "an AVR with more than 64 kB of flash, and GCC's own dialects (-std=gnu11)",
            "defined __AVR_HAVE_ELPMX__",
        ),
    )
    REGISTERS_32 = (
        "registers_32",
        "a dozen 32-bit registers: four sums at once, a patch of input on the stack",
    )
    THUMB = (
        "thumb",
        "Arm's Thumb instructions: in assembly, sums in more registers than a compiler finds",
    )
    DSP = (
        "dsp",
        "Arm's DSP extension: two 16-bit products a multiply-accumulate",
        Need(
            "a Cortex-M with the DSP extension and unaligned loads",
            # Before version 19 Clang joined no loads for bare metal unless it was told to: there
            # the macro says nothing.
            "defined __ARM_FEATURE_DSP && (defined __ARM_FEATURE_UNALIGNED || "
            "(defined __clang__ && __clang_major__ < 19))",
        ),
    )
    DUAL_ISSUE = (
        "dual_issue",
        "two instructions begin in a cycle: words are loaded long before they are used",
    )
    MVE = (
        "mve",
        "Arm's Helium: vectors of sixteen bytes",
        Need("a Cortex-M with Helium", "defined __ARM_FEATURE_MVE"),
    )
    RISCV = (
        "riscv",
        "RISC-V of 32 bits with a multiplier and all registers",
        Need(
            "an RV32 with multiplication",
            "defined __riscv_mul && __riscv_xlen == 32 && !defined __riscv_32e",
        ),
    )
    RISCV_B = (
        "riscv_b",
        "RISC-V's bit manipulation (Zba, Zbb): the least and the greatest of two registers",
    )
    FLASH_WORDS = (
        "flash_words",
        "constants can be loaded from flash as aligned words only; Xtensa instructions",
        _XTENSA,
    )
    MUL16S = ("mul16s", "Xtensa's product of two signed numbers of 16 bits", _XTENSA)
    MAC16 = ("mac16", "Xtensa's 40-bit accumulator of products of 16 bits (MAC16)", _XTENSA)
    FPU = (
        "fpu",
        "float arithmetic in hardware: sums of four outputs at once",
    )
    MULTIPLY_64 = (
        "multiply_64",
        "the product of two int32 as int64 takes a few cycles, not a library call",
    )
    EXTERNAL_WEIGHTS = ("external_weights", "weights are outside flash, in a file of their own")
    PACKED_WEIGHTS = ("packed_weights", "weights are in flash in fewer bytes, without loss")
    PARTITION_WEIGHTS = (
        "partition_weights",
        "weights can be exchanged for others of the same shapes",
    )


OF_WEIGHTS = frozenset(
    (Feature.EXTERNAL_WEIGHTS, Feature.PACKED_WEIGHTS, Feature.PARTITION_WEIGHTS)
)
"""Those that a compilation asks for; no target has them by itself."""

FEATURES = tuple(feature for feature in Feature if feature not in OF_WEIGHTS)
"""Those that a target.toml may name."""

OF_SOME_WEIGHTS = frozenset((Feature.PARTITION_WEIGHTS,))
"""What a kernel `excludes` that is for weights of some sizes alone: others may take their place."""
