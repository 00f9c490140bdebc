"""The bound of a firmware that somebody else has linked: from the model's own function on.

All of RAM is unknown but the model's variables, which begin as they are loaded; memory that the
caller may write, such as the arena, is unknown again before each call.  Nothing is assumed of the
rest of the firmware but that it leaves the model's variables alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ir.interface import ArenaMode, Interface
from tinyml_rules.target.target import Target
from tinyml_rules.worst_case.bound import Bound, bound_of
from tinyml_rules.worst_case.lines import DATA_SPACE, Start
from tinyml_rules.worst_case.program import Piece, Program, Variable, read_program

_ALIGNMENT = 16
_AVR_ZERO = 1
"""Register r1, which is 0 between functions."""
_AVR_ARGUMENTS = (24, 22)
"""The lower registers of the first arguments of 16 bits."""
_AVR_STACK_POINTER, _AVR_RAMPZ, _AVR_EIND, _AVR_REGISTERS = 32, 33, 34, 35
_ARM_STACK_POINTER, _ARM_LINK, _ARM_REGISTERS = 13, 14, 16
_RISCV_ZERO, _RISCV_LINK, _RISCV_STACK_POINTER, _RISCV_REGISTERS = 0, 1, 2, 32
_RISCV_ARGUMENTS = 10
_RISCV_GLOBAL_POINTER, _GLOBAL_POINTER = 3, "__global_pointer$"
_NOWHERE = {"avr": 0x1_FFFE, "arm": 0xFFFF_FFFE, "riscv": 0xFFFF_FFFE}
"""The address to which the model returns; no code is there."""


def bound_of_firmware(
    target: Target,
    interface: Interface,
    elf: Path,
    *,
    arena_bytes: int,
    accounts: Mapping[int, int] | None = None,
    cache: Path | None = None,
) -> tuple[Program, Bound]:
    """The calls of the model, each after any others.

    `arena_bytes`: of a caller's arena; `accounts`: those of a profile's marks.

    Raises UnsupportedError where there is no bound.
    """
    if interface.arena is ArenaMode.SHARED:
        what = "no bound: other models of the firmware write to the shared arena"
        raise UnsupportedError.at(elf.name, what)
    program = read_program(target, elf)
    entry = program.address_of(interface.entry)
    own = [each for each in program.variables if _is_own(each, interface, target)]
    free = _free(program)
    caller_bytes = arena_bytes if interface.arena is ArenaMode.CALLER else 0
    changed = [(each.address, each.bytes) for each in own if _is_arena(each, interface)]
    if caller_bytes:
        changed.append((free.address, caller_bytes))
    start = Start(
        pc=entry,
        invoke=entry,
        mark=_NOWHERE[target.architecture],
        registers=_registers(program, free, _arguments(interface, free, caller_bytes)),
        is_in_model=True,
        changed=changed,
    )
    kept = [(each.address, _loaded(each, program.pieces)) for each in own]
    return program, bound_of(program, start, kept=kept, accounts=accounts, cache=cache)


def _free(program: Program) -> Variable:
    """The largest piece of RAM without variables: the stack is at its end."""
    memory = program.target.memory
    assert memory is not None, "only parts have a bound"
    first, end = memory.ram.origin, memory.ram.origin + memory.ram.bytes
    taken = [each for each in program.variables if first <= each.address < end]
    places = sorted((each.address, each.address + each.bytes) for each in taken)
    gaps, at = [], first
    for begin, behind in [*places, (end, end)]:
        gaps.append(Variable("", at, max(begin - at, 0)))
        at = max(at, behind)
    largest = max(gaps, key=lambda each: each.bytes)
    begin = -(-largest.address // _ALIGNMENT) * _ALIGNMENT
    behind = (largest.address + largest.bytes) // _ALIGNMENT * _ALIGNMENT
    return Variable("", begin, behind - begin)


def _arguments(interface: Interface, free: Variable, caller_bytes: int) -> Iterator[int]:
    """A caller's arena, and memory of which nothing is known for a row."""
    if caller_bytes:
        yield free.address
    if interface.pushed_rows:
        yield free.address + -(-caller_bytes // _ALIGNMENT) * _ALIGNMENT


def _is_own(variable: Variable, interface: Interface, target: Target) -> bool:
    """A variable of the model, in RAM."""
    memory = target.memory
    assert memory is not None
    regions = (memory.ram, *memory.regions.values())
    is_ram = any(0 <= variable.address - each.origin < each.bytes for each in regions)
    return is_ram and variable.name.startswith(f"{interface.name}_")


def _is_arena(variable: Variable, interface: Interface) -> bool:
    return variable.name.partition(".")[0].startswith(f"{interface.name}_arena")


def _loaded(variable: Variable, pieces: tuple[Piece, ...]) -> bytes:
    """What is there when the firmware has started: zeros where nothing is loaded."""
    data = bytearray(variable.bytes)
    for each in pieces:
        first = max(variable.address, each.address)
        end = min(variable.address + variable.bytes, each.address + len(each.data))
        if first < end:
            part = each.data[first - each.address : end - each.address]
            data[first - variable.address : end - variable.address] = part
    return bytes(data)


def _registers(
    program: Program, free: Variable, arguments: Iterable[int]
) -> Mapping[int, tuple[int, int]]:
    """Unknown, but for the stack pointer, arguments, and what never changes."""
    top = free.address + free.bytes
    if program.target.architecture == "avr":
        found: dict[int, tuple[int, int]] = dict.fromkeys(range(_AVR_REGISTERS), (0, 0xFF))
        found |= {_AVR_ZERO: (0, 0), _AVR_RAMPZ: (0, 0), _AVR_EIND: (0, 0)}
        found[_AVR_STACK_POINTER] = (top - 1 - DATA_SPACE, 0)
        for low, address in zip(_AVR_ARGUMENTS, arguments, strict=False):
            found[low] = (address & 0xFF, 0)
            found[low + 1] = (address - DATA_SPACE >> 8, 0)
        return found
    if program.target.architecture == "riscv":
        found = dict.fromkeys(range(_RISCV_REGISTERS), (0, 0xFFFF_FFFF))
        found |= {_RISCV_ZERO: (0, 0), _RISCV_STACK_POINTER: (top, 0)}
        found |= {_RISCV_LINK: (_NOWHERE["riscv"], 0)}
        if _GLOBAL_POINTER in program.symbols:
            found |= {_RISCV_GLOBAL_POINTER: (program.symbols[_GLOBAL_POINTER], 0)}
        return found | {_RISCV_ARGUMENTS + index: (each, 0) for index, each in enumerate(arguments)}
    found = dict.fromkeys(range(_ARM_REGISTERS), (0, 0xFFFF_FFFF))
    found |= {_ARM_STACK_POINTER: (top, 0), _ARM_LINK: (_NOWHERE["arm"] | 1, 0)}
    return found | {number: (each, 0) for number, each in enumerate(arguments)}
