"""RP2350: the block that its boot ROM looks for, and the file for the board."""

from __future__ import annotations

import struct
from pathlib import Path

from tests.support.hand_written import build_pair, target_or_skip
from tests.targets.test_rp2040 import parse_uf2
from tinyml_rules.firmware.formats.uf2 import elf_to_uf2

IMAGE_DEF = (0xFFFFDED3, 0x10210142, 0x000001FF, 0, 0xAB123579)
"""The smallest for secure Arm code: datasheet, 5.9.5.1."""
VECTORS_BYTES = 64
SEARCHED_BYTES = 4096


def test_the_boot_rom_finds_the_image(tmp_path: Path) -> None:
    """Vectors at the start of flash, where it takes them from, the block once behind them."""
    target = target_or_skip("rp2350")
    assert target.memory
    assert target.programmer
    image = build_pair(target, tmp_path, kind="minimal")
    file = elf_to_uf2(image.elf, family=target.programmer.family)
    address, data = parse_uf2(file, family=0xE48BFF59)
    assert address == target.memory.flash.origin == 0x1000_0000
    stack, reset = struct.unpack_from("<2I", data)
    ram = target.memory.ram
    assert ram.origin < stack <= ram.origin + ram.bytes
    assert reset & 1, "the Thumb bit"
    block = struct.pack("<5I", *IMAGE_DEF)
    assert data.find(block) == VECTORS_BYTES
    assert data[:SEARCHED_BYTES].count(block[:4]) == 1


def test_test_images_have_no_block(tmp_path: Path) -> None:
    image = build_pair(target_or_skip("rp2350"), tmp_path)
    assert struct.pack("<I", IMAGE_DEF[0]) not in image.elf.read_bytes()
