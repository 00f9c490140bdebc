"""Loops whose count depends on data: how often they run at most.

A template says so of a loop of its own with TINYML_AT_MOST, a label in a section that is not
loaded: pairs of 32-bit words, an address in the loop and the count.  Loops of libgcc have a table.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile

from tinyml_rules.firmware.disassembly import Flow
from tinyml_rules.worst_case.flow import END, Loop
from tinyml_rules.worst_case.program import Program

SECTION = ".debug_tinyml_at_most"
MOST_LIMITS = 64
"""Of machine.h.  Without a limit there may be no bound; none is wrong for it."""
_BRANCHES = (Flow.BRANCH, Flow.SKIP, Flow.MAY_RETURN)
_BACKWARDS = (Flow.BRANCH, Flow.JUMP)
_PAIR = struct.Struct("<II")

_OF_ARMV6_M = (re.compile(r"__u?divsi3|__aeabi_u?idiv"), 5)
"""Eight bits each time, or six."""
_LIBGCC = (
    (re.compile(r"__(u?div|u?mod|divmod|udivmod)\w*|__aeabi_u?idivmod"), 65),
    (re.compile(r"__(add|sub|mul|div|float|fix|fp_|cmp)\w*[sd][fi]\w*|__fp_\w+"), 65),
    (re.compile(r"__(ashl|ashr|lshr)[sd]i3|__aeabi_[dfil]\w+|__clz\w+|__\w+[sd]f[23]?"), 65),
)
"""Functions of libgcc and libm: no loop of theirs runs more often than a number has bits."""


_OF_A_SHIFT = re.compile(
    r"(add|adc) +(r\d+), \2|(lsl|rol|lsr|ror|asr|dec) +r\d+|(brpl|brmi|brne|rjmp) +.*"
)
"""What a shift by a variable is made of."""
_MOST_OF_A_SHIFT, _MOST_PLACES = 8, 32


@dataclass(frozen=True)
class Limit:
    """The instruction at `address` runs at most `most` times each time its loop is entered.

    `begins`: instructions that are executed before that.  `apart`: branches that decide how often
    it runs, whose ways are kept apart until one of the `stops` or the function's end, since that
    decides what comes then.
    """

    address: int
    most: int
    begins: tuple[int, ...]
    apart: tuple[int, ...]
    stops: tuple[int, ...]
    """The head and the ends of the loop around it; none without one."""


def limits_of(program: Program) -> tuple[Limit, ...]:
    """Those of a program's marks, and those of the table."""
    marked = dict(_marks(program.elf))
    found = [_marked(program, address, most) for address, most in sorted(marked.items())]
    every = [*(each for each in found if each), *_of_libgcc(program), *_of_shifts(program)]
    by_address = {each.address: each for each in reversed(every)}
    return tuple(by_address[address] for address in sorted(by_address))[:MOST_LIMITS]


def has_marks(elf: Path) -> bool:
    """Whether a loop of the program says how often it runs."""
    return any(True for _ in _marks(elf))


def _marks(elf: Path) -> Iterator[tuple[int, int]]:
    """(address, count); of several at one address the largest comes last."""
    with elf.open("rb") as file:
        section = ELFFile(file).get_section_by_name(SECTION)
        data = b"" if section is None else section.data()
    yield from sorted(_PAIR.iter_unpack(data))


def _marked(program: Program, address: int, most: int) -> Limit | None:
    """None where the loop is gone: the compiler has written it out."""
    loops = list(program.flow.around(address))
    if not loops or not _is_entered(program, loops[0]):
        return None
    inner, outer = loops[0], next((each for each in loops[1:]), None)
    stops = () if outer is None else (outer.turn, *outer.ends)
    around = frozenset() if outer is None else outer.body
    apart = {*_exits(program, inner), *program.flow.deciding(inner.head, inside=around)}
    apart -= set() if outer is None else set(_exits(program, outer))
    return Limit(address, most, inner.entries, tuple(sorted(apart)), stops)


def _of_libgcc(program: Program) -> Iterator[Limit]:
    """Of each way backwards that is one of a loop: where this has several entries, of the
    branch."""
    table = (_OF_ARMV6_M, *_LIBGCC) if program.target.architecture == "arm" else _LIBGCC
    loops = {each.head: each for each in program.flow.loops if _is_entered(program, each)}
    for address, each in program.code.instructions.items():
        target = each.effect.target
        if each.effect.flow not in _BACKWARDS or target is None or target > address:
            continue
        name = program.function_at(address)
        most = next((most for pattern, most in table if pattern.fullmatch(name)), 0)
        if most and target in loops:
            yield Limit(target, most, loops[target].entries, (), ())
        elif most and program.flow.is_reached(address, target):
            yield Limit(address, most, tuple(program.entries_of(name)), (), ())


def _of_shifts(program: Program) -> Iterator[Limit]:
    """AVR shifts by a variable place by place; C has no shift by as many places as a number has
    bits, or more."""
    for loop in program.flow.loops if program.target.architecture == "avr" else ():
        body = [program.code.instructions[each].text for each in sorted(loop.body)]
        is_shift = len(body) <= _MOST_OF_A_SHIFT and all(map(_OF_A_SHIFT.fullmatch, body))
        if is_shift and _is_entered(program, loop):
            yield Limit(loop.head, _MOST_PLACES + 1, loop.entries, (), ())


def _is_entered(program: Program, loop: Loop) -> bool:
    """Whether instructions before the loop are known: not where it is what a call goes to."""
    return bool(loop.entries) and loop.head not in program.flow.called


def _exits(program: Program, loop: Loop) -> Iterator[int]:
    """The branches out of a loop."""
    for address in sorted(loop.body):
        if program.code.instructions[address].effect.flow in _BRANCHES:
            following = program.flow.successors[address]
            if any(each not in loop.body and each != END for each in following):
                yield address
