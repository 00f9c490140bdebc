"""Writes UF2, the format of a firmware that is copied to a board as to a USB drive.

Blocks of 512 bytes, each with the address of its 256 bytes of payload: Microsoft's "USB Flashing
Format (UF2)" specification.
"""

from __future__ import annotations

import struct
from pathlib import Path

from elftools.elf.elffile import ELFFile

PAYLOAD_BYTES = 256

_MAGICS = (0x0A324655, 0x9E5D5157)
_LAST_MAGIC = 0x0AB16F30
_HAS_FAMILY = 0x2000
_HEADER = struct.Struct("<8I")
_DATA_BYTES = 476
"""Room for the payload; the rest is zero."""


def uf2_blocks(data: bytes, *, address: int, family: int) -> bytes:
    """The UF2 file that puts `data` at `address` of a part of this family.

    A part writes whole pages: `address` is a multiple of PAYLOAD_BYTES, and the last payload is
    filled with zeros.
    """
    assert address % PAYLOAD_BYTES == 0, f"{address:#x} begins no page"
    count = -(-len(data) // PAYLOAD_BYTES)
    blocks = []
    for number in range(count):
        start = number * PAYLOAD_BYTES
        words = (_HAS_FAMILY, address + start, PAYLOAD_BYTES, number, count, family)
        payload = data[start : start + PAYLOAD_BYTES].ljust(_DATA_BYTES, b"\0")
        blocks.append(_HEADER.pack(*_MAGICS, *words) + payload + struct.pack("<I", _LAST_MAGIC))
    return b"".join(blocks)


def elf_to_uf2(elf_file: Path, *, family: int) -> bytes:
    """The UF2 file with the contents of flash of a linked firmware."""
    with elf_file.open("rb") as file:
        parts = [
            (segment["p_paddr"], segment.data())
            for segment in ELFFile(file).iter_segments(type="PT_LOAD")
            if segment["p_filesz"]
        ]
    first = min(address for address, _ in parts)
    data = bytearray(max(address + len(part) for address, part in parts) - first)
    for address, part in parts:
        data[address - first : address - first + len(part)] = part
    return uf2_blocks(bytes(data), address=first, family=family)
