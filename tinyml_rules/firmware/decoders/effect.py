"""The effect of one instruction on the flow of control and on the stack pointer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

_TARGET = re.compile(r"\b(?:0x)?([0-9a-f]+) <")


class Flow(Enum):
    """Where control goes after an instruction."""

    NEXT = auto()
    SKIP = auto()
    """The next instruction or the one after it."""
    BRANCH = auto()
    """The next instruction or the target."""
    JUMP = auto()
    CALL = auto()
    RETURN = auto()
    MAY_RETURN = auto()
    """The next instruction, or out of the function."""
    INDIRECT = auto()
    """An address that is known only when the program runs."""
    SWITCH = auto()
    """One of the cases."""


@dataclass(frozen=True)
class InlineTable:
    """The targets of a switch: the table's own address plus `factor` times an entry.

    The table follows the instruction, which has four bytes.
    """

    entry_bytes: int
    factor: int = 2
    is_signed: bool = False


@dataclass(frozen=True)
class Effect:
    """The effect of one instruction; `push_bytes` is negative if it pops.

    `below_bytes`: what the function that begins with it needs below its frame.
    `lets_interrupts_in`: where an interrupt handler has it, that one may be interrupted.
    `table`: of a switch whose cases are in the same function; `cases`: its targets, if they
    were read from its table (`switches.py`).
    """

    flow: Flow = Flow.NEXT
    target: int | None = None
    push_bytes: int = 0
    below_bytes: int = 0
    moves_stack_unknown: bool = False
    lets_interrupts_in: bool = False
    table: InlineTable | None = None
    cases: tuple[int, ...] = ()


def branch_target(operands: str) -> int | None:
    """The address that objdump wrote before a `<symbol>`."""
    match = _TARGET.search(operands)
    return int(match[1], 16) if match else None
