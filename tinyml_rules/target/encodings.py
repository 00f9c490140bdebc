"""Classes of instructions by architecture: their bit patterns, and where a pattern has registers.

The costs of a class belong to a core (`cycles.py`).  Standard library only, like `target.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from functools import cache


class Role(IntEnum):
    """What an instruction does with a register; the plugin of QEMU knows them by number."""

    ORDINARY = 0
    ADDRESS = 1
    SHIFTED = 2
    FACTOR = 3
    ACCUMULATOR = 4
    STORED = 5
    LOADED_FACTOR = 6
    """A factor that a load has brought: no pattern says so."""
    RESULT = 7
    BASE = 8
    """An address written back."""


OPERANDS: Mapping[Role, str] = {
    Role.ORDINARY: "any other",
    Role.ADDRESS: "of a load, a store or a branch",
    Role.SHIFTED: "shifted on its way, or of a bit field",
    Role.FACTOR: "of a multiplication",
    Role.ACCUMULATOR: "to which a product is added",
    Role.STORED: "the value that is stored",
    Role.LOADED_FACTOR: "of a multiplication, from a load",
}
"""What is read, in the order of their numbers."""


_ROLES: Mapping[str, tuple[Role, ...]] = {
    **dict.fromkeys("nm", (Role.ORDINARY,)),
    **dict.fromkeys("bi", (Role.ADDRESS,)),
    "h": (Role.SHIFTED,),
    **dict.fromkeys("fg", (Role.FACTOR,)),
    "a": (Role.ACCUMULATOR,),
    **dict.fromkeys("st", (Role.STORED,)),
    **dict.fromkeys("de", (Role.RESULT,)),
    "N": (Role.ORDINARY, Role.RESULT),
    "B": (Role.ADDRESS, Role.BASE),
    "G": (Role.FACTOR, Role.RESULT),
    **dict.fromkeys("AC", (Role.ACCUMULATOR, Role.RESULT)),
}
"""Letters of a pattern, the bits of a register's number: what is done with it."""


def _long(opcode: str, data: str, *, literal: bool = True) -> tuple[str, ...]:
    """The addressing modes of a load or store of one register; `opcode`: 8 bits after 1111, with U
    for the bit of a long offset."""
    begin, short, far = (f"1111 {opcode.replace('U', each)}" for each in "x01")
    relative = (f"{begin} 1111 {data} xxxx xxxx xxxx",) if literal else ()
    return (
        *relative,
        f"{far} bbbb {data} xxxx xxxx xxxx",
        f"{short} bbbb {data} 0000 00xx iiii",
        f"{short} BBBB {data} 1xx1 xxxx xxxx",
        f"{short} bbbb {data} xxxx xxxx xxxx",
    )


_THUMB: Mapping[str, tuple[str, ...]] = {
    "load_to_pc": ("1111 1000 x101 bbbb 1111 xxxx xxxx xxxx",),
    "load": (
        *("0100 1ddd xxxx xxxx", "0101 100i iibb bddd", "0110 1xxx xxbb bddd"),
        *("1001 1ddd xxxx xxxx", *_long("1000 U101", "dddd")),
    ),
    "load_narrow": (
        *("0101 011i iibb bddd", "0101 101i iibb bddd", "0101 11xi iibb bddd"),
        *("0111 1xxx xxbb bddd", "1000 1xxx xxbb bddd", *_long("100x U0x1", "dddd")),
    ),
    "load_double": (
        "1110 1001 x101 bbbb dddd eeee xxxx xxxx",
        "1110 1001 x111 BBBB dddd eeee xxxx xxxx",
        "1110 1000 x111 BBBB dddd eeee xxxx xxxx",
    ),
    "load_multiple_to_pc": (
        "1011 110R rrrr rrrr",
        *("1110 1000 1001 bbbb Rrrr rrrr rrrr rrrr", "1110 1000 1011 BBBB Rrrr rrrr rrrr rrrr"),
        *("1110 1001 0001 bbbb Rrrr rrrr rrrr rrrr", "1110 1001 0011 BBBB Rrrr rrrr rrrr rrrr"),
    ),
    "load_multiple": (
        *("1011 1100 rrrr rrrr", "1100 1BBB rrrr rrrr"),
        *("1110 1000 1001 bbbb 0rrr rrrr rrrr rrrr", "1110 1000 1011 BBBB 0rrr rrrr rrrr rrrr"),
        *("1110 1001 0001 bbbb 0rrr rrrr rrrr rrrr", "1110 1001 0011 BBBB 0rrr rrrr rrrr rrrr"),
    ),
    "store_register_offset": (
        *("0101 00xi iibb bsss", "0101 010i iibb bsss"),
        "1111 1000 0xx0 bbbb ssss 0000 00xx iiii",
    ),
    "store": (
        *("011x 0xxx xxbb bsss", "1000 0xxx xxbb bsss", "1001 0sss xxxx xxxx"),
        *(each for each in _long("1000 Uxx0", "ssss", literal=False) if "i" not in each),
    ),
    "store_double": (
        "1110 1001 x100 bbbb ssss tttt xxxx xxxx",
        "1110 1001 x110 BBBB ssss tttt xxxx xxxx",
        "1110 1000 x110 BBBB ssss tttt xxxx xxxx",
    ),
    "store_multiple": (
        *("1011 010r rrrr rrrr", "1100 0BBB rrrr rrrr"),
        *("1110 1000 1000 bbbb rrrr rrrr rrrr rrrr", "1110 1000 1010 BBBB rrrr rrrr rrrr rrrr"),
        *("1110 1001 0000 bbbb rrrr rrrr rrrr rrrr", "1110 1001 0010 BBBB rrrr rrrr rrrr rrrr"),
    ),
    "table_branch": ("1110 1000 1101 bbbb 1111 0000 000x iiii",),
    "branch_if": (
        *("1101 0xxx xxxx xxxx", "1101 10xx xxxx xxxx", "1101 110x xxxx xxxx"),
        *("1011 00x1 xxxx xnnn", "1011 10x1 xxxx xnnn"),
        "1111 0x0x xxxx xxxx 10x0 xxxx xxxx xxxx",
        "1111 0x10 xxxx xxxx 10x0 xxxx xxxx xxxx",
        "1111 0x11 0xxx xxxx 10x0 xxxx xxxx xxxx",
    ),
    "branch": ("1110 0xxx xxxx xxxx", "1111 0xxx xxxx xxxx 10x1 xxxx xxxx xxxx"),
    "call": ("1111 0xxx xxxx xxxx 11x1 xxxx xxxx xxxx",),
    "branch_to_register": ("0100 0111 xbbb bxxx",),
    "move_to_pc": ("0100 0110 1nnn n111", "0100 0100 1mmm m111"),
    "multiply_short": ("0100 0011 01ff fGGG",),
    "multiply": ("1111 1011 0000 ffff 1111 dddd 0000 gggg",),
    "multiply_accumulate": ("1111 1011 0000 ffff aaaa dddd 000x gggg",),
    "multiply_long": ("1111 1011 10x0 ffff dddd eeee 0000 gggg",),
    "multiply_accumulate_long": ("1111 1011 11x0 ffff AAAA CCCC 0000 gggg",),
    "divide": ("1111 1011 10x1 nnnn 1111 dddd 1111 mmmm",),
    # of 16 bits, two at a time, or the upper half: SMULBB, SMLAD, SMMLA, SMLALD
    "multiply_halves": (
        "1111 1011 0xxx ffff aaaa dddd xxxx gggg",
        "1111 1011 11xx ffff AAAA CCCC xxxx gggg",
    ),
    "nop": ("1011 1111 xxxx 0000", "1111 0011 1010 1111 1000 0000 0000 0000"),
    "if_then": ("1011 1111 xxxx xxxx",),
    # MOV, ADD, SUB, shifts, of registers and constants
    "move_or_add": (
        *("0000 xxxx xxnn nddd", "0001 0xxx xxnn nddd", "0001 10xm mmnn nddd"),
        *("0001 11xx xxnn nddd", "0010 0ddd xxxx xxxx", "0011 xNNN xxxx xxxx"),
        *("0100 0000 1xmm mNNN", "0100 0001 00mm mNNN", "0100 0001 11mm mNNN"),
        *("0100 0100 Nmmm mNNN", "0100 0110 dnnn nddd", "1010 xddd xxxx xxxx"),
        "1110 1010 010x 1111 0xxx dddd xxxx nnnn",
        *("1110 1011 000x nnnn 0000 dddd 0000 mmmm", "1110 1011 101x nnnn 0000 dddd 0000 mmmm"),
        *("1111 0x01 000x nnnn 0xxx dddd xxxx xxxx", "1111 0x01 101x nnnn 0xxx dddd xxxx xxxx"),
        *("1111 0x00 010x 1111 0xxx dddd xxxx xxxx", "1111 0x10 0100 xxxx 0xxx dddd xxxx xxxx"),
        *("1111 0x10 0000 nnnn 0xxx dddd xxxx xxxx", "1111 0x10 1010 nnnn 0xxx dddd xxxx xxxx"),
        "1111 1010 0xxx nnnn 1111 dddd 0000 mmmm",
    ),
    "pack": ("1110 1010 1100 nnnn 0xxx dddd xxxx hhhh",),
    "arithmetic": (
        *("0010 1nnn xxxx xxxx", "0100 0010 00mm mnnn", "0100 0010 01nn nddd"),
        *("0100 0010 1xmm mnnn", "0100 0011 11nn nddd", "0100 00xx xxmm mNNN"),
        "0100 0101 nmmm mnnn",
        "1110 101x xxxx nnnn 0000 dddd 0000 mmmm",
        *("1111 0x0x xxxx nnnn 0xxx dddd xxxx xxxx", "1111 0x10 1100 xxxx 0xxx NNNN xxxx xxxx"),
    ),
    # a second operand that is shifted on its way
    "arithmetic_shifted": ("1110 101x xxxx nnnn 0xxx dddd xxxx hhhh",),
    # UBFX, BFI, SSAT, REV
    "bit_field": (
        *("1111 0x11 0110 hhhh 0xxx NNNN xxxx xxxx", "1111 0x11 xxx0 hhhh 0xxx dddd xxxx xxxx"),
        *("1111 1010 1001 xxxx 1111 dddd 10xx hhhh", "1011 1010 xxhh hddd"),
    ),
    # SADD16, QADD, SEL, CLZ, SXTB16
    "parallel": (
        *("1011 0010 xxnn nddd", "1111 1010 0xxx 1111 1111 dddd 1xxx nnnn"),
        "1111 1010 1xxx nnnn 1111 dddd xxxx mmmm",
    ),
    "extend_and_add": ("1111 1010 0xxx nnnn 1111 dddd 1xxx hhhh",),
    "float": ("111x 11xx xxxx xxxx xxxx xxxx xxxx xxxx",),
}
"""The halfwords of an instruction in the order of their addresses."""

_RISCV: Mapping[str, tuple[str, ...]] = {
    "load": (
        "xxxxxxxxxxxx xxxxx xxx xxxxx 0000011",
        *("010 xxx xxx xx xxx 00", "010 x xxxxx xxxxx 10"),
    ),
    "store": (
        "xxxxxxx xxxxx xxxxx xxx xxxxx 0100011",
        *("110 xxx xxx xx xxx 00", "110 xxxxxx xxxxx 10"),
    ),
    "branch_if": (
        "xxxxxxx xxxxx xxxxx xxx xxxxx 1100011",
        *("110 xxx xxx xxxxx 01", "111 xxx xxx xxxxx 01"),
    ),
    "jump": (
        *("xxxxxxxxxxxxxxxxxxxx xxxxx 1101111", "xxxxxxxxxxxx xxxxx 000 xxxxx 1100111"),
        *("101 xxxxxxxxxxx 01", "001 xxxxxxxxxxx 01", "100 x xxxxx 00000 10"),
    ),
    "multiply": ("0000001 xxxxx xxxxx 000 xxxxx 0110011",),
    "multiply_high": (
        "0000001 xxxxx xxxxx 001 xxxxx 0110011",
        "0000001 xxxxx xxxxx 01x xxxxx 0110011",
    ),
    "divide": ("0000001 xxxxx xxxxx 1xx xxxxx 0110011",),
}

ENCODINGS: Mapping[str, Mapping[str, tuple[str, ...]]] = {"arm": _THUMB, "riscv": _RISCV}
"""By architecture and class: bits, where x is any, r a register of a list, R a register that is in
it, and other letters are registers.  The first pattern that an instruction matches counts."""

LONG_INSTRUCTIONS: Mapping[str, tuple[int, int]] = {"arm": (0xFFFF, 0xE800), "riscv": (3, 3)}
"""By architecture a mask and a number: an instruction whose first 16 bits, masked, are that or more
has 32 bits, any other one 16."""


def in_memory(pattern: str, architecture: str) -> str:
    """The pattern as one little-endian number: Thumb has its upper halfword first."""
    text = pattern.replace(" ", "")
    assert len(text) in (16, 32), pattern
    return text[16:] + text[:16] if architecture == "arm" else text


@cache
def bits(text: str, wanted: str) -> int:
    """A number with a bit for each of these letters in a pattern as it is in memory."""
    return int("".join("1" if each in wanted else "0" for each in text), 2)


@cache
def operands(text: str) -> tuple[tuple[Role, int], ...]:
    """What is done with each register that a pattern as it is in memory has, and where its number
    is."""
    return tuple(
        (role, bits(text, letter))
        for letter in dict.fromkeys(text)
        for role in _ROLES.get(letter, ())
    )
