"""The cycles of a core's instructions, as its manual states them: an estimate.

A family's target.toml has a table for each core, `[cycles.<core>]`, and a part names its `core`.
This module has the classes of instructions that such a table may name, and their bit patterns.
Standard library only, like `target.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tinyml_rules.errors import TargetError, did_you_mean
from tinyml_rules.target.require import require

_THUMB: Mapping[str, tuple[str, ...]] = {
    "load_to_pc": ("1111 1000 x101 xxxx 1111 xxxx xxxx xxxx",),
    "load": (
        *("0100 1xxx xxxx xxxx", "0101 011x xxxx xxxx", "0101 1xxx xxxx xxxx"),
        *("011x 1xxx xxxx xxxx", "1000 1xxx xxxx xxxx", "1001 1xxx xxxx xxxx"),
        *("1111 100x x0x1 xxxx xxxx xxxx xxxx xxxx", "1111 1000 x101 xxxx xxxx xxxx xxxx xxxx"),
    ),
    "load_double": (
        "1110 1001 x1x1 xxxx xxxx xxxx xxxx xxxx",
        "1110 1000 x111 xxxx xxxx xxxx xxxx xxxx",
    ),
    "load_multiple_to_pc": (
        "1011 110R rrrr rrrr",
        "1110 1000 10x1 xxxx Rrrr rrrr rrrr rrrr",
        "1110 1001 00x1 xxxx Rrrr rrrr rrrr rrrr",
    ),
    "load_multiple": (
        *("1011 1100 rrrr rrrr", "1100 1xxx rrrr rrrr"),
        "1110 1000 10x1 xxxx 0rrr rrrr rrrr rrrr",
        "1110 1001 00x1 xxxx 0rrr rrrr rrrr rrrr",
    ),
    "store_register_offset": (
        *("0101 00xx xxxx xxxx", "0101 010x xxxx xxxx"),
        "1111 1000 0xx0 xxxx xxxx 0000 00xx xxxx",
    ),
    "store": (
        *("011x 0xxx xxxx xxxx", "1000 0xxx xxxx xxxx", "1001 0xxx xxxx xxxx"),
        "1111 1000 xxx0 xxxx xxxx xxxx xxxx xxxx",
    ),
    "store_double": (
        "1110 1001 x1x0 xxxx xxxx xxxx xxxx xxxx",
        "1110 1000 x110 xxxx xxxx xxxx xxxx xxxx",
    ),
    "store_multiple": (
        *("1011 010r rrrr rrrr", "1100 0xxx rrrr rrrr"),
        "1110 1000 10x0 xxxx rrrr rrrr rrrr rrrr",
        "1110 1001 00x0 xxxx rrrr rrrr rrrr rrrr",
    ),
    "table_branch": ("1110 1000 1101 xxxx 1111 0000 000x xxxx",),
    "branch_if": (
        *("1101 0xxx xxxx xxxx", "1101 10xx xxxx xxxx", "1101 110x xxxx xxxx"),
        *("1011 00x1 xxxx xxxx", "1011 10x1 xxxx xxxx"),
        "1111 0x0x xxxx xxxx 10x0 xxxx xxxx xxxx",
        "1111 0x10 xxxx xxxx 10x0 xxxx xxxx xxxx",
        "1111 0x11 0xxx xxxx 10x0 xxxx xxxx xxxx",
    ),
    "branch": ("1110 0xxx xxxx xxxx", "1111 0xxx xxxx xxxx 10x1 xxxx xxxx xxxx"),
    "call": ("1111 0xxx xxxx xxxx 11x1 xxxx xxxx xxxx",),
    "branch_to_register": ("0100 0111 xxxx xxxx",),
    "move_to_pc": ("0100 0110 1xxx x111", "0100 0100 1xxx x111"),
    "multiply": ("0100 0011 01xx xxxx", "1111 1011 0000 xxxx 1111 xxxx 0000 xxxx"),
    "multiply_accumulate": ("1111 1011 0000 xxxx xxxx xxxx 000x xxxx",),
    "multiply_long": ("1111 1011 10x0 xxxx xxxx xxxx 0000 xxxx",),
    "multiply_accumulate_long": ("1111 1011 11x0 xxxx xxxx xxxx 0000 xxxx",),
    "divide": ("1111 1011 10x1 xxxx 1111 xxxx 1111 xxxx",),
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
"""By architecture and class: bits, where x is any, r a register of a list, and R a register that is
in it.  The first pattern that an instruction matches counts."""

LONG_INSTRUCTIONS: Mapping[str, tuple[int, int]] = {"arm": (0xFFFF, 0xE800), "riscv": (3, 3)}
"""By architecture a mask and a number: an instruction whose first 16 bits, masked, are that or more
has 32 bits, any other one 16."""

TAKEN, AFTER_LOAD = "_taken", "_after_load"
"""Endings of a class: cycles of a taken branch, and of an access after a load."""
_FOLLOWED, _LOADS = ("branch_if",), ("load",)
_BEHIND_LOADS = ("load", "store", "store_register_offset")
COST = "([0-9]+)( \\+ N)?"
"""The expression that all of a cost matches."""
CLASSES = tuple(
    dict.fromkeys(
        name
        for classes in ENCODINGS.values()
        for each in classes
        for name in (
            each,
            *([each + TAKEN] if each in _FOLLOWED else []),
            *([each + AFTER_LOAD] if each in _BEHIND_LOADS else []),
        )
    )
)
"""Every key of a table of cycles, of any architecture."""


@dataclass(frozen=True)
class Rule:
    """The cycles of instructions of one pattern: `cost`, plus `each` for every set bit of `listed`.
    Masks are words of `bits`, the first byte in memory the lowest."""

    bits: int
    mask: int
    value: int
    listed: int
    cost: int
    each: int
    taken: int
    """Cycles if the next instruction executed is not the next one in memory."""
    after_load: int
    """Cycles directly after a single load."""
    is_load: bool


@dataclass(frozen=True)
class Cycles:
    """The rules of one core; `source` names the manual, and the choice where it gives a range.
    An instruction that no rule matches takes one cycle."""

    source: str
    rules: tuple[Rule, ...]
    core: str


def read_cycles(
    table: Mapping[str, Any] | None, core: str | None, architecture: str, *, where: str
) -> Cycles | None:
    """The table of `core` among the tables `cycles`; None if the part names no core.

    Raises TargetError for a core without a table, a class that the architecture does not have,
    and an invalid cost.
    """
    if core is None:
        return None
    cores = table or {}
    if core not in cores:
        what = f"'core' is '{core}', expected one of {', '.join(cores) or '(none)'}"
        raise TargetError.at(where, what, hint=did_you_mean(core, cores))
    prefix = f"cycles.{core}."
    require(cores[core], ("source",), where=where, prefix=prefix)
    costs = {key: value for key, value in cores[core].items() if key != "source"}
    classes = ENCODINGS.get(architecture, {})
    known = (
        *classes,
        *(each + TAKEN for each in _FOLLOWED),
        *(each + AFTER_LOAD for each in _BEHIND_LOADS),
    )
    for key, value in costs.items():
        if key not in known:
            what = f"'{prefix}{key}' is not a class of instructions, expected one of "
            hint = did_you_mean(key, known)
            raise TargetError.at(where, what + ", ".join(known), hint=hint)
        if not re.fullmatch(COST, value):
            what = f"'{prefix}{key}' is '{value}', expected cycles, such as '2' or '1 + N'"
            raise TargetError.at(where, what)
    return Cycles(cores[core]["source"], tuple(_rules(classes, costs, architecture)), core)


def _rules(
    classes: Mapping[str, tuple[str, ...]], costs: Mapping[str, str], architecture: str
) -> Iterator[Rule]:
    for name, patterns in classes.items():
        cost, each = _cost(costs.get(name, "1"))
        taken, _ = _cost(costs.get(name + TAKEN, str(cost)))
        after_load, _ = _cost(costs.get(name + AFTER_LOAD, str(cost)))
        for pattern in patterns:
            text = _in_memory(pattern.replace(" ", ""), architecture)
            yield Rule(
                bits=len(text),
                mask=_bits(text, "01R"),
                value=_bits(text, "1R"),
                listed=_bits(text, "rR"),
                cost=cost,
                each=each,
                taken=taken,
                after_load=after_load,
                is_load=name in _LOADS,
            )


def _cost(text: str) -> tuple[int, int]:
    """(cycles, cycles for each register of a list)."""
    match = re.fullmatch(COST, text)
    assert match, "costs have been checked"
    return int(match[1]), 1 if match[2] else 0


def _in_memory(pattern: str, architecture: str) -> str:
    """The pattern as one little-endian number: Thumb has its upper halfword first."""
    assert len(pattern) in (16, 32), pattern
    return pattern[16:] + pattern[:16] if architecture == "arm" else pattern


def _bits(pattern: str, wanted: str) -> int:
    return int("".join("1" if each in wanted else "0" for each in pattern), 2)
