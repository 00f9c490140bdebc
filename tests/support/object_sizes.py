"""What an object file takes of a target's memory."""

from __future__ import annotations

from pathlib import Path

from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile


def sizes_of(object_file: Path) -> tuple[int, int]:
    """(bytes of flash, bytes of RAM) of an object's sections."""
    flash_bytes = ram_bytes = 0
    with object_file.open("rb") as file:
        for section in ELFFile(file).iter_sections():
            flags = section["sh_flags"]
            if not flags & SH_FLAGS.SHF_ALLOC:
                continue
            if section["sh_type"] != "SHT_NOBITS":
                flash_bytes += section["sh_size"]
            if flags & SH_FLAGS.SHF_WRITE:
                ram_bytes += section["sh_size"]
    return flash_bytes, ram_bytes
