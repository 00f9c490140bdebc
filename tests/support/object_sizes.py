"""What an object file takes of a target's memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile

NOBITS = 8
"""The type of a section without bytes in the file."""


def sizes_of(object_file: Path) -> tuple[int, int]:
    """(bytes of flash, bytes of RAM) of an object's sections, of which many models have thousands:
    their table is read as a whole."""
    data = object_file.read_bytes()
    with object_file.open("rb") as file:
        elf = ELFFile(file)
        first, size, count = elf["e_shoff"], elf["e_shentsize"], elf.num_sections()
    word = f"{'<' if elf.little_endian else '>'}u{elf.elfclass // 8}"
    int32 = f"{word[0]}u4"
    head = [("name", int32), ("type", int32), ("flags", word), ("addr", word)]
    fields = [*head, ("offset", word), ("size", word)]
    rest = size - np.dtype(fields).itemsize
    table = np.frombuffer(data, [*fields, ("rest", f"V{rest}")], count, first)
    table = table[(table["flags"] & SH_FLAGS.SHF_ALLOC) != 0]
    is_writable = (table["flags"] & SH_FLAGS.SHF_WRITE) != 0
    flash_bytes = int(table["size"][table["type"] != NOBITS].sum())
    return flash_bytes, int(table["size"][is_writable].sum())
