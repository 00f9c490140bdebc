"""The data of a linked program: its words, and which of them are addresses."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import Symbol, SymbolTableSection

_ABSOLUTE_WORDS = {"EM_ARM": (2, 38)}
"""Relocation types that make a word the address of a symbol: R_ARM_ABS32, R_ARM_TARGET1."""
_WORD_BYTES = 4


@dataclass(frozen=True)
class _Section:
    start: int
    data: bytes
    is_code: bool
    is_constant: bool


@dataclass(frozen=True)
class Loaded:
    """The sections of a program that have contents.

    `address_places`: where the linker wrote addresses, None if the file does not say.
    `functions`, `tables`: (first byte, byte after the last) of each, tables in their order.
    `weak`: names that may be replaced.
    """

    sections: tuple[_Section, ...]
    address_places: tuple[int, ...] | None
    functions: tuple[tuple[int, int], ...]
    tables: tuple[tuple[int, int], ...]
    weak: frozenset[str]

    @classmethod
    def of(cls, elf: ELFFile) -> Loaded:
        """Read while the file is open."""
        symbols = elf.get_section_by_name(".symtab")
        table = list(symbols.iter_symbols()) if isinstance(symbols, SymbolTableSection) else []
        return cls(
            tuple(
                _Section(
                    each["sh_addr"],
                    each.data(),
                    is_code=bool(each["sh_flags"] & SH_FLAGS.SHF_EXECINSTR),
                    is_constant=not each["sh_flags"] & SH_FLAGS.SHF_WRITE,
                )
                for each in elf.iter_sections()
                if each["sh_flags"] & SH_FLAGS.SHF_ALLOC and each["sh_type"] != "SHT_NOBITS"
            ),
            _address_places(elf),
            _ranges(table, "STT_FUNC", bit_of_thumb=1),
            _ranges(table, "STT_OBJECT"),
            frozenset(each.name for each in table if each["st_info"]["bind"] == "STB_WEAK"),
        )

    def word_at(self, address: int) -> int | None:
        """The word loaded at an address, None if there is none."""
        found = self._at(address, _WORD_BYTES)
        return None if found is None else int.from_bytes(found[1], "little")

    def constant_at(
        self, address: int, size: int = _WORD_BYTES, *, is_signed: bool = False
    ) -> int | None:
        """The constant at an address, None if there is none: in the code, which may run in RAM, or
        in a section that is not written to."""
        found = self._at(address, size)
        if found is None or not (found[0].is_code or found[0].is_constant):
            return None
        return int.from_bytes(found[1], "little", signed=is_signed)

    def _at(self, address: int, size: int) -> tuple[_Section, bytes] | None:
        for each in self.sections:
            offset = address - each.start
            if 0 <= offset <= len(each.data) - size:
                return each, each.data[offset : offset + size]
        return None

    def words(self, *, in_code: bool) -> Iterator[tuple[int, int]]:
        """(place, word) of all words that may be addresses: those with a relocation if the file has
        relocations, otherwise every aligned word, also in sections with code if they have
        tables."""
        if self.address_places is not None:
            for place in self.address_places:
                word = self.word_at(place)
                if word is not None:
                    yield place, word
            return
        for each in self.sections:
            if each.is_code and not in_code:
                continue
            for offset in range(-each.start % _WORD_BYTES, len(each.data) - 3, _WORD_BYTES):
                word = int.from_bytes(each.data[offset : offset + _WORD_BYTES], "little")
                yield each.start + offset, word

    def is_in_table(self, address: int) -> bool:
        """Whether the address has data, which objdump shows as text."""
        place = bisect_right(self.tables, (address, sys.maxsize)) - 1
        return place >= 0 and address < self.tables[place][1]

    def is_in_function(self, place: int) -> bool:
        """A constant of a function's own: compilers put them after its instructions."""
        return any(start <= place < end for start, end in self.functions)


def _ranges(
    symbols: Sequence[Symbol], kind: str, *, bit_of_thumb: int = 0
) -> tuple[tuple[int, int], ...]:
    """Address ranges of the symbols of a kind, sorted."""
    found = [each for each in symbols if each["st_info"]["type"] == kind]
    starts = [each["st_value"] & ~bit_of_thumb for each in found]
    return tuple(
        sorted((start, start + each["st_size"]) for start, each in zip(starts, found, strict=True))
    )


def _address_places(elf: ELFFile) -> tuple[int, ...] | None:
    """Places of addresses, from the relocations that `--emit-relocs` keeps: without them a number
    in a table cannot be distinguished from an address if flash begins at 0."""
    types = _ABSOLUTE_WORDS.get(elf["e_machine"], ())
    places = []
    is_told = False
    for section in elf.iter_sections():
        if not isinstance(section, RelocationSection):
            continue
        if not elf.get_section(section["sh_info"])["sh_flags"] & SH_FLAGS.SHF_ALLOC:
            continue
        is_told = True
        for each in section.iter_relocations():
            if each["r_info_type"] in types:
                places.append(each["r_offset"])
    return tuple(sorted(places)) if is_told and types else None
