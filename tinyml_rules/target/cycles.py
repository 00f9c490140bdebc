"""The cycles of a core's instructions, as its manual or a measurement states them: an estimate.

A family's target.toml has a table for each core, `[cycles.<core>]`, and a part names its `core`.
This module reads such a table.  Standard library only, like `target.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntFlag
from typing import Any

from tinyml_rules.errors import TargetError, did_you_mean
from tinyml_rules.target.encodings import ENCODINGS, OPERANDS, Role, bits, in_memory, operands
from tinyml_rules.target.require import require

TAKEN, AFTER_LOAD, AFTER_SHORT, RESULT = "_taken", "_after_load", "_after_short", "_result"
"""Endings of a class: cycles of a taken branch, of an access after a load, of an instruction of 16
bits after one of 16 bits, and until an instruction can use the result."""
_LOADS = ("load", "load_narrow")
_FINER = {"load_narrow": "load", "multiply_short": "multiply"}
"""What a class takes if a table does not name it: as much as another one, not one cycle."""
_PAIRING = ("alone", "first_of_pair", "forwarded")
"""Keys with classes, in the order of `Pairing`."""
_LEADS = ("early_operands", "late_operands")
_ENDINGS: Mapping[str, tuple[str, ...]] = {
    TAKEN: ("branch_if",),
    AFTER_LOAD: (*_LOADS, "store", "store_register_offset"),
    AFTER_SHORT: ("branch_if",),
}
"""The classes that an ending is for, if not for all."""
COST = "[0-9]+( \\+ N( / 2)?)?|N( / 2)?"
"""The expression that all of a cost matches."""
CLASSES = tuple(dict.fromkeys(each for classes in ENCODINGS.values() for each in classes))
"""The classes of any architecture."""


def _costs_of(classes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(
        each + ending
        for each in classes
        for ending in ("", *_ENDINGS, RESULT)
        if each in _ENDINGS.get(ending, (each,))
    )


COSTS = _costs_of(CLASSES)
"""Every key of a table of cycles that has cycles, of any architecture."""
EARLY_OR_LATE: Mapping[str, str] = {
    role.name.lower(): what for role, what in OPERANDS.items() if role is not Role.ORDINARY
}
"""Operands that a core may read a cycle earlier or later than others."""


class Pairing(IntFlag):
    """How instructions of a class begin in a cycle with others."""

    ALONE = 1
    FIRST = 2
    FORWARDED = 4
    """The second of the pair can use the result of the first."""


@dataclass(frozen=True)
class Rule:
    """The cycles of instructions of one pattern: `cost`, and one for every `per_cycle` set bits of
    `listed`, if that is not 0.  Masks are words of `bits`, the first byte in memory the lowest."""

    bits: int
    mask: int
    value: int
    listed: int
    cost: int
    per_cycle: int
    taken: int
    """Cycles if the next instruction executed is not the next one in memory."""
    after_load: int
    """Cycles directly after a single load of the same memory."""
    after_short: int
    """Cycles directly after an instruction of 16 bits."""
    result: int
    """Cycles from its first one until an instruction can use the result."""
    is_load: bool
    """A single load."""
    loads: bool
    """A load of any kind."""
    pairing: Pairing
    pipes: int
    """The pipes that it takes, a bit each: in a cycle begins one instruction a pipe."""
    operands: tuple[tuple[Role, int], ...]
    """What is done with a register, and the mask of its number."""


@dataclass(frozen=True)
class Cycles:
    """The rules of one core; `source` names the manual, and the choice where it gives a range.
    An instruction that no rule matches takes one cycle."""

    source: str
    rules: tuple[Rule, ...]
    core: str
    issue_width: int = 1
    """Instructions that may begin in one cycle."""
    leads: tuple[int, ...] = (0,) * len(OPERANDS)
    """How many cycles before an ordinary operand each of `OPERANDS` is read."""


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
    found = cores[core]
    require(found, ("source",), where=where, prefix=prefix)
    classes = ENCODINGS.get(architecture, {})
    _check_costs(found, tuple(classes), where=where, prefix=prefix)
    _check_lists(found, tuple(classes), where=where, prefix=prefix)
    early, late = (found.get(key, ()) for key in _LEADS)
    words = (role.name.lower() for role in OPERANDS)
    return Cycles(
        source=found["source"],
        rules=tuple(_rules(classes, found, architecture)),
        core=core,
        issue_width=found.get("issue_width", 1),
        leads=tuple((each in early) - (each in late) for each in words),
    )


def _check_costs(
    table: Mapping[str, Any], classes: tuple[str, ...], *, where: str, prefix: str
) -> None:
    known = _costs_of(classes)
    for key, value in table.items():
        if key == "source" or not isinstance(value, str):
            continue  # the schema has the type of the others
        if key not in known:
            what = f"'{prefix}{key}' is not a class of instructions, expected one of "
            hint = did_you_mean(key, known)
            raise TargetError.at(where, what + ", ".join(classes), hint=hint)
        if not re.fullmatch(COST, value):
            what = f"'{prefix}{key}' is '{value}', expected cycles, such as '2' or '1 + N'"
            raise TargetError.at(where, what)


def _check_lists(
    table: Mapping[str, Any], classes: tuple[str, ...], *, where: str, prefix: str
) -> None:
    lists = {key: (table.get(key, ()), classes) for key in _PAIRING}
    lists |= {key: (table.get(key, ()), tuple(EARLY_OR_LATE)) for key in _LEADS}
    pipes = table.get("pipes", {})
    lists |= {f"pipes.{name}": (members, classes) for name, members in pipes.items()}
    for key, (members, known) in lists.items():
        for each in members:
            if each not in known:
                what = f"'{prefix}{key}' has '{each}', expected one of {', '.join(known)}"
                raise TargetError.at(where, what, hint=did_you_mean(each, known))


def _rules(
    classes: Mapping[str, tuple[str, ...]], table: Mapping[str, Any], architecture: str
) -> Iterator[Rule]:
    def cost(name: str, ending: str, otherwise: str) -> str:
        coarser = table.get(_FINER.get(name, name) + ending, otherwise)
        return str(table.get(name + ending, coarser))

    for name, patterns in classes.items():
        text = cost(name, "", "1")
        cycles, per_cycle = _cost(text)
        pairing, pipes = _pairing(name, table), _pipes(name, table)
        taken, after_load, after_short = (
            _cost(cost(name, ending, text))[0] for ending in (TAKEN, AFTER_LOAD, AFTER_SHORT)
        )
        result = _cost(cost(name, RESULT, "1"))[0]
        for pattern in patterns:
            encoding = in_memory(pattern, architecture)
            yield Rule(
                bits=len(encoding),
                mask=bits(encoding, "01R"),
                value=bits(encoding, "1R"),
                listed=bits(encoding, "rR"),
                cost=cycles,
                per_cycle=per_cycle,
                taken=taken,
                after_load=after_load,
                after_short=after_short,
                result=result,
                is_load=name in _LOADS,
                loads=name.startswith("load"),
                pairing=pairing,
                pipes=pipes,
                operands=operands(encoding),
            )


def _pairing(name: str, table: Mapping[str, Any]) -> Pairing:
    named = (
        each for key, each in zip(_PAIRING, Pairing, strict=True) if name in table.get(key, ())
    )
    return Pairing(sum(named))


def _pipes(name: str, table: Mapping[str, Any]) -> int:
    pipes = table.get("pipes", {}).values()
    return sum(1 << number for number, members in enumerate(pipes) if name in members)


def _cost(text: str) -> tuple[int, int]:
    """(cycles, registers of a list that take one more together, 0 if it has none)."""
    first = text.split(maxsplit=1)[0]
    return 0 if first == "N" else int(first), 0 if "N" not in text else 2 if "/" in text else 1
