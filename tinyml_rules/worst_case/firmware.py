"""The bound of a firmware that somebody else has linked: from the model's own function on.

All of RAM is unknown but the model's variables, which begin as they are loaded; memory that the
caller may write, such as the arena, is unknown again before each call.  Nothing is assumed of the
rest of the firmware but that it leaves the model's variables alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
_NOWHERE = {"avr": 0x1_FFFE, "arm": 0xFFFF_FFFE}
"""The address to which the model returns; no code is there."""


def bound_of_firmware(
    target: Target, interface: Interface, elf: Path, *, cache: Path | None = None
) -> tuple[Program, Bound]:
    """The calls of the model, each after any others.  Raises UnsupportedError where there is no
    bound."""
    if interface.arena is ArenaMode.SHARED:
        what = "no bound: other models of the firmware write to the shared arena"
        raise UnsupportedError.at(elf.name, what)
    program = read_program(target, elf)
    entry = program.address_of(interface.entry)
    own = [each for each in program.variables if _is_own(each, interface, target)]
    start = Start(
        pc=entry,
        invoke=entry,
        mark=_nowhere(program),
        registers=_registers(program, interface),
        is_in_model=True,
        changed=[(each.address, each.bytes) for each in own if _is_arena(each, interface)],
    )
    kept = [(each.address, _loaded(each, program.pieces)) for each in own]
    return program, bound_of(program, start, kept=kept, cache=cache)


def _nowhere(program: Program) -> int:
    return _NOWHERE[program.target.architecture]


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


def _registers(program: Program, interface: Interface) -> Mapping[int, tuple[int, int]]:
    """Unknown, but for the stack pointer, and arguments: memory of which nothing is known."""
    memory = program.target.memory
    assert memory is not None
    top = memory.ram.origin + memory.ram.bytes
    if program.target.architecture == "avr":
        found: dict[int, tuple[int, int]] = dict.fromkeys(range(_AVR_REGISTERS), (0, 0xFF))
        found |= {_AVR_ZERO: (0, 0), _AVR_RAMPZ: (0, 0), _AVR_EIND: (0, 0)}
        found[_AVR_STACK_POINTER] = (top - 1 - DATA_SPACE, 0)
        for low, address in zip(_AVR_ARGUMENTS, _arguments(program, interface), strict=False):
            found[low] = (address & 0xFF, 0)
            found[low + 1] = (address - DATA_SPACE >> 8, 0)
        return found
    found = dict.fromkeys(range(_ARM_REGISTERS), (0, 0xFFFF_FFFF))
    found |= {_ARM_STACK_POINTER: (top, 0), _ARM_LINK: (_nowhere(program) | 1, 0)}
    found |= {n: (each, 0) for n, each in enumerate(_arguments(program, interface))}
    return found


def _arguments(program: Program, interface: Interface) -> Iterator[int]:
    """Memory for a caller's arena and for a row, above all variables."""
    memory = program.target.memory
    assert memory is not None
    inside = [
        each.address + each.bytes
        for each in program.variables
        if 0 <= each.address - memory.ram.origin < memory.ram.bytes
    ]
    place = -(-max(inside, default=memory.ram.origin) // _ALIGNMENT) * _ALIGNMENT
    if interface.arena is ArenaMode.CALLER:
        what = "no bound: the arena is the caller's, and what is in it is not known"
        raise UnsupportedError.at(program.elf.name, what)
    if interface.pushed_rows:
        yield place
