"""A linked program as the abstract processor gets it: code, memory, symbols, limits of loops."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tinyml_rules.errors import UsageError
from tinyml_rules.firmware.disassembly import Code, Flow
from tinyml_rules.firmware.linked_code import a_users, read_code
from tinyml_rules.target.target import Target
from tinyml_rules.worst_case.flow import ControlFlow
from tinyml_rules.worst_case.targets import is_armv6_m

_THUMB_BIT = 1


@dataclass(frozen=True)
class Piece:
    """Bytes that are in memory: those of flash as they are stored, those of RAM as they are where
    the program has started."""

    stored: int
    address: int
    data: bytes


@dataclass(frozen=True)
class Variable:
    """A symbol of data: address as the linker counts it, and bytes."""

    name: str
    address: int
    bytes: int


@dataclass(frozen=True)
class Program:
    """A linked program of `target`; `symbols`: addresses by name, without the bit of Thumb."""

    elf: Path
    target: Target
    code: Code
    flow: ControlFlow
    far_jumps: frozenset[int]
    pieces: tuple[Piece, ...]
    symbols: Mapping[str, int]
    variables: tuple[Variable, ...]

    @cached_property
    def _starts(self) -> list[int]:
        return sorted(self.code.symbols)

    def function_at(self, address: int) -> str:
        """The name of the function with the instruction."""
        place = bisect_right(self._starts, address) - 1
        if place < 0:
            return f"{address:#x}"
        return self.code.symbols[self._starts[place]][0]

    def entries_of(self, function: str) -> Iterator[int]:
        """The instructions of a function to which control comes from elsewhere."""
        first = self.symbols[function]
        place = bisect_right(self._starts, first)
        end = self._starts[place] if place < len(self._starts) else max(self.code.instructions) + 1
        body = {each for each in self.code.instructions if first <= each < end}
        for each in sorted(body):
            before = self.flow.predecessors.get(each, ())
            if each in self.flow.called or not before or not body.issuperset(before):
                yield each

    def address_of(self, function: str) -> int:
        """Raises UsageError for a program without the function."""
        if function not in self.symbols:
            what = f"the program has no function {function}"
            hint = "it may be inlined, or the file is not of this model, or has no symbols"
            raise UsageError.at(self.elf.name, what, hint=hint)
        return self.symbols[function]


def read_program(target: Target, elf: Path) -> Program:
    """Read and disassemble it.  Raises UsageError for a file that is no ELF file, ToolError."""
    with a_users(elf), elf.open("rb") as file:
        image = ELFFile(file)
        pieces = tuple(
            Piece(each["p_paddr"], each["p_vaddr"], each.data())
            for each in image.iter_segments(type="PT_LOAD")
            if each["p_filesz"]
        )
        symbols, variables = _symbols(image, target)
        code, _ = read_code(target, elf, where=elf.name)
    has_far_jumps = target.architecture == "arm" and is_armv6_m(target)
    far_jumps = _far_jumps(code) if has_far_jumps else frozenset()
    flow = ControlFlow.of(code, far_jumps)
    return Program(elf, target, code, flow, far_jumps, pieces, symbols, variables)


def _symbols(image: ELFFile, target: Target) -> tuple[dict[str, int], tuple[Variable, ...]]:
    table = image.get_section_by_name(".symtab")
    if not isinstance(table, SymbolTableSection):
        return {}, ()
    is_thumb = target.architecture == "arm"
    found: dict[str, int] = {}
    variables = []
    for each in table.iter_symbols():
        address = each["st_value"]
        if each["st_info"]["type"] == "STT_FUNC" and is_thumb:
            address &= ~_THUMB_BIT
        if each.name:
            found[each.name] = address
        if each["st_info"]["type"] == "STT_OBJECT":
            variables.append(Variable(each.name, address, each["st_size"]))
    return found, tuple(variables)


def _far_jumps(code: Code) -> frozenset[int]:
    """ARMv6-M calls a place inside the same function where a jump would not reach so far; on later
    cores such a call comes back."""
    return frozenset(
        address
        for address, each in code.instructions.items()
        if each.effect.flow is Flow.CALL and each.effect.target not in code.symbols
    )
