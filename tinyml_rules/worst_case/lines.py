"""The files that tell the abstract processor what to run: see calls.h."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tinyml_rules.firmware.disassembly import Flow
from tinyml_rules.target.target import Target
from tinyml_rules.worst_case.flow import END, Loop
from tinyml_rules.worst_case.limits import Limit
from tinyml_rules.worst_case.program import Program
from tinyml_rules.worst_case.targets import is_armv6_m

Line = tuple[str, int, int, int]

END_OF_FUNCTION = 0xFFFF_FFFF
MOST_CALLS = 5_000
MOST_MILLION_STEPS = 20_000
_DATA_SPACE_BYTES = 0x1_0000
_WORD = 0xFFFF_FFFF
DATA_SPACE = 0x80_0000
"""The linker adds this to data addresses of AVR."""
_BRANCHES = (Flow.BRANCH, Flow.SKIP, Flow.MAY_RETURN, Flow.CALL, Flow.SWITCH)
"""What may go two ways: on Arm calls may too."""


@dataclass(frozen=True)
class Start:
    """Where a run begins, where calls of the model do, and the first instruction after them.

    `registers`: (value, unknown bits) by number.  `is_in_model`: it begins with the model's own
    function, all of RAM unknown but for `kept` (address, bytes); before each call `changed` is
    unknown again.
    """

    pc: int
    invoke: int
    mark: int
    registers: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    is_in_model: bool = False
    changed: Sequence[tuple[int, int]] = ()


def lines_of(
    program: Program,
    start: Start,
    limits: Sequence[Limit],
    accounts: Mapping[int, int],
    million_steps: int,
) -> str:
    """The first file; `accounts`: those of a profile's marks, by address."""
    lines = [
        *(("region", *each) for each in _regions(program, is_in_model=start.is_in_model)),
        _code(program),
        ("model", start.invoke, start.mark, int(start.is_in_model)),
        *_architecture(program.target),
        ("pc", start.pc, million_steps, MOST_CALLS),
        *(("register", number, *value) for number, value in start.registers.items()),
        *(("unknown", *each, 0) for each in start.changed),
        *_branches(program, limits),
        *_limits(limits),
        *_cases(program),
        *(("jump", each, 0, 0) for each in sorted(program.far_jumps)),
        *(("account", address, number, 0) for address, number in accounts.items()),
    ]
    return "".join(f"{word} {a:x} {b:x} {c:x}\n" for word, a, b, c in lines)


def memory_of(program: Program, kept: Iterable[tuple[int, bytes]] | None = None) -> bytes:
    """The second file: what is in memory before the first instruction: flash, where it is stored
    and where the processor sees it, and with `kept` these pieces of RAM."""
    regions = list(_regions(program, is_in_model=kept is not None))
    pieces = [(each.stored, each.data) for each in program.pieces]
    for each in program.pieces:
        if each.address != each.stored and not _is_written(each.address, regions):
            pieces.append((each.address, each.data))
    if kept is not None:
        pieces += kept
    return b"".join(struct.pack("<II", address, len(data)) + data for address, data in pieces)


Region = tuple[int, int, int]
"""The first address, bytes, and whether it is written to."""


def _regions(program: Program, *, is_in_model: bool) -> Iterator[Region]:
    """The memory of a part, or of the machine that runs test images, and code and constants that
    are seen elsewhere."""
    part, machine = program.target.memory, program.target.test_memory
    memory = (part if is_in_model else None) or machine
    assert memory is not None, "only parts are bounded"
    if program.target.architecture == "avr":
        yield DATA_SPACE, _DATA_SPACE_BYTES, 1
        yield 0, _power_of_two(memory.flash.bytes), 0
        return
    found = [(memory.flash.origin, memory.flash.bytes, 0)]
    found += [(each.origin, each.bytes, 1) for each in (memory.ram, *memory.regions.values())]
    for each in program.pieces:
        if not any(_has(region, each.address) for region in found):
            found.append((each.address, len(each.data), 0))
    yield from found


def _has(region: Region, address: int) -> bool:
    return 0 <= address - region[0] < region[1]


def _is_written(address: int, regions: Iterable[Region]) -> bool:
    return any(each[2] and _has(each, address) for each in regions)


def _code(program: Program) -> Line:
    addresses = program.code.instructions
    return "code", min(addresses), max(each.next_address for each in addresses.values()), 0


def _power_of_two(size: int) -> int:
    return 1 << (size - 1).bit_length()


def _architecture(target: Target) -> Iterator[Line]:
    memory = target.test_memory
    assert memory is not None
    if target.architecture == "avr":
        address_bytes = 3 if memory.flash.bytes > 2 * _DATA_SPACE_BYTES else 2
        yield "avr", memory.ram.origin & (DATA_SPACE - 1), address_bytes, 0
    elif target.architecture == "riscv":
        yield "riscv", 0, 0, 0
    else:
        yield "thumb", int(is_armv6_m(target)), 0, 0


def _branches(program: Program, limits: Sequence[Limit]) -> Iterator[Line]:
    """Where ways meet: after the loop with the branch, at its head, or where it ends."""
    apart = {address: limit for limit in limits for address in limit.apart}
    innermost: dict[int, Loop] = {}
    for loop in reversed(program.flow.loops):
        innermost |= dict.fromkeys(loop.body, loop)
    for address, each in program.code.instructions.items():
        if each.effect.flow not in _BRANCHES:
            continue
        if address in apart:
            yield "meet", address, END_OF_FUNCTION, 0
            yield from (("stop", address, stop, 0) for stop in apart[address].stops)
            continue
        meeting = program.flow.meetings.get(address, END)
        yield "meet", address, END_OF_FUNCTION if meeting == END else meeting, 0
        if address in innermost:
            loop = innermost[address]
            yield from (("stop", address, stop, 0) for stop in (loop.turn, *loop.ends))


def _cases(program: Program) -> Iterator[Line]:
    """Where jumps by tables go to."""
    for address, each in program.code.instructions.items():
        yield from (("case", address, target, 0) for target in each.effect.cases or ())


def _limits(limits: Sequence[Limit]) -> Iterator[Line]:
    for number, limit in enumerate(limits):
        yield "most", number, limit.most, 0
        yield "limit", limit.address, number, 0
        yield from (("begin", each, number, 0) for each in limit.begins)
