"""Writes the contents of an ESP8266's flash from its first byte on: the image that the boot ROM
loads, then the data that is read in place.

The image is of version 1: "Firmware Image Format" in the documentation of Espressif's esptool.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile

MAPPED_ORIGIN = 0x4020_0000
"""Address of the first byte of flash."""

_MAPPED_BYTES = 0x0010_0000
_MAGIC = 0xE9
_DUAL_IO = 2
"""The mode that the flash of every module supports."""
_ONE_MEGABYTE_40_MHZ = 0x20
_HEADER = struct.Struct("<4BI")
_SEGMENT_HEADER = struct.Struct("<2I")
_UNIT_BYTES = 16
"""The checksum is the last byte of such a unit."""
_CHECKSUM_SEED = 0xEF
_ERASED = b"\xff"


def esp8266_image(segments: Sequence[tuple[int, bytes]], *, entry: int) -> bytes:
    """The image whose segments, (address, data), the boot ROM copies before it jumps to `entry`."""
    image = _HEADER.pack(_MAGIC, len(segments), _DUAL_IO, _ONE_MEGABYTE_40_MHZ, entry)
    checksum = _CHECKSUM_SEED
    for address, data in segments:
        words = data.ljust(-(-len(data) // 4) * 4, b"\0")
        image += _SEGMENT_HEADER.pack(address, len(words)) + words
        for byte in words:
            checksum ^= byte
    padding = bytes(-(len(image) + 1) % _UNIT_BYTES)
    return image + padding + bytes([checksum])


def elf_to_esp8266(elf_file: Path) -> bytes:
    """The contents of flash for a linked firmware, to be written at address 0."""
    with elf_file.open("rb") as file:
        elf = ELFFile(file)
        entry = elf.header["e_entry"]
        stored = [
            (section["sh_addr"], section.data())
            for section in elf.iter_sections(type="SHT_PROGBITS")
            if section["sh_flags"] & SH_FLAGS.SHF_ALLOC and section["sh_size"]
        ]
    flash = esp8266_image([each for each in stored if not _is_mapped(each[0])], entry=entry)
    for address, data in sorted(each for each in stored if _is_mapped(each[0])):
        start = address - MAPPED_ORIGIN
        assert start >= len(flash), "the linker script leaves room for what lies before"
        flash = flash.ljust(start, _ERASED) + data
    return flash


def _is_mapped(address: int) -> bool:
    return MAPPED_ORIGIN <= address < MAPPED_ORIGIN + _MAPPED_BYTES
