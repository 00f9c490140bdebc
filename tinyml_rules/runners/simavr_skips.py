"""Finds the skips that simavr 1.6 gets wrong, for simavr_skips.h.

It treats ADIW and SBIW whose constant ends in C to F as instructions of two words, like CALL and
JMP, and skips one word too many.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

Words = npt.NDArray[np.uint16]
Mask = npt.NDArray[np.bool_]
_WORD_BYTES = 2


def wrong_skips(elf: Path) -> tuple[int, ...]:
    """The addresses of such skips in an image's functions; constants with the same words do not
    count."""
    with elf.open("rb") as file:
        image = ELFFile(file)
        table = image.get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        found: set[int] = set()
        for symbol in table.iter_symbols():
            if symbol["st_info"]["type"] != "STT_FUNC" or symbol["st_shndx"] == "SHN_UNDEF":
                continue
            section = image.get_section(symbol["st_shndx"])
            first = symbol["st_value"] - section["sh_addr"]
            words = np.frombuffer(section.data()[first : first + symbol["st_size"]], "<u2")
            found.update(symbol["st_value"] + _WORD_BYTES * place for place in _skips_of(words))
    return tuple(sorted(found))


def _skips_of(words: Words) -> Iterator[int]:
    """Positions in the words of one function at which such a skip begins, instruction by
    instruction."""
    last = len(words) - 1
    places = np.flatnonzero(_are_skips(words[:last]) & _are_taken_for_two(words[1:]))
    if places.size:
        yield from sorted(set(places.tolist()) & set(_instructions(words)))


def _are_skips(words: Words) -> Mask:
    """CPSE; SBRC and SBRS; SBIC and SBIS."""
    of_register = (words & 0xFC08) == 0xFC00
    found: Mask = ((words & 0xFC00) == 0x1000) | of_register | ((words & 0xFD00) == 0x9900)
    return found


def _are_taken_for_two(words: Words) -> Mask:
    """ADIW and SBIW with such a constant."""
    found: Mask = (words & 0xFE0C) == 0x960C
    return found


def _instructions(words: Words) -> Iterator[int]:
    """Positions at which instructions begin; JMP, CALL, LDS and STS have two words."""
    are_long = ((words & 0xFE0C) == 0x940C) | ((words & 0xFC0F) == 0x9000)
    place = 0
    while place < len(words):
        yield place
        place += 2 if are_long[place] else 1
