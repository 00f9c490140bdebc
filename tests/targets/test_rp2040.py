"""RP2040: the boot block that its boot ROM checks, and the UF2 file that goes to the board."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from tests.support.hand_written import build_pair, target_or_skip
from tinyml_rules.firmware.formats.uf2 import elf_to_uf2, uf2_blocks
from tinyml_rules.firmware.image import Image
from tinyml_rules.firmware.measure import measure_image
from tinyml_rules.target.target import Target

BOOT_BYTES = 256
PAYLOAD_BYTES = 256
FAMILY = 0xE48BFF56


@pytest.fixture
def target() -> Target:
    """The part, if its compiler is here."""
    return target_or_skip("rp2040")


@pytest.fixture
def image(target: Target, tmp_path: Path) -> Image:
    """A firmware for the real part."""
    return build_pair(target, tmp_path, kind="minimal")


def parse_uf2(file: bytes, *, family: int = FAMILY) -> tuple[int, bytes]:
    """(address, contents) of a UF2 file whose blocks are all as the specification wants them."""
    assert len(file) % 512 == 0
    count = len(file) // 512
    data, first = b"", 0
    for number in range(count):
        block = file[512 * number :][:512]
        words = struct.unpack_from("<8I", block)
        assert words[:3] == (0x0A324655, 0x9E5D5157, 0x2000)
        assert words[4:] == (PAYLOAD_BYTES, number, count, family)
        first = first or words[3]
        assert words[3] == first + len(data), "addresses without a gap"
        data += block[32 : 32 + PAYLOAD_BYTES]
        assert not any(block[32 + PAYLOAD_BYTES : 508])
        assert struct.unpack_from("<I", block, 508) == (0x0AB16F30,)
    return first, data


def boot_crc(data: bytes) -> int:
    """The CRC of the boot ROM: CRC-32 with its bits not reflected, and not inverted at the end."""
    crc = 0xFFFF_FFFF
    for byte in data:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1 ^ (0x04C1_1DB7 if crc >> 31 else 0)) & 0xFFFF_FFFF
    return crc


def test_the_crc_is_the_known_one() -> None:
    """CRC-32/MPEG-2, whose check value is published."""
    assert boot_crc(b"123456789") == 0x0376_E6E7


def test_the_file_for_the_board(target: Target, image: Image) -> None:
    address, data = parse_uf2(elf_to_uf2(image.elf, family=FAMILY))
    assert target.memory
    assert address == target.memory.flash.origin == 0x1000_0000
    assert target.programmer
    assert target.programmer.family == FAMILY
    flash_bytes = measure_image(target, image).flash_bytes
    assert len(data) == -(-flash_bytes // PAYLOAD_BYTES) * PAYLOAD_BYTES


def test_the_boot_block_is_accepted(image: Image) -> None:
    _, data = parse_uf2(elf_to_uf2(image.elf, family=FAMILY))
    assert any(data[: BOOT_BYTES - 4])
    assert struct.unpack_from("<I", data, BOOT_BYTES - 4) == (boot_crc(data[: BOOT_BYTES - 4]),)


def test_vectors_lie_behind_the_boot_block(target: Target, image: Image) -> None:
    address, data = parse_uf2(elf_to_uf2(image.elf, family=FAMILY))
    stack, reset = struct.unpack_from("<2I", data, BOOT_BYTES)
    assert target.memory
    ram = target.memory.ram
    assert ram.origin < stack <= ram.origin + ram.bytes
    assert stack % 8 == 0
    assert reset & 1, "the Thumb bit"
    assert address + BOOT_BYTES < reset < address + len(data)


def test_test_images_have_no_boot_block(target: Target, tmp_path: Path) -> None:
    """The machine that runs them begins with the vectors."""
    image = build_pair(target, tmp_path, kind="test")
    with image.elf.open("rb") as file:
        (segment, *_) = ELFFile(file).iter_segments(type="PT_LOAD")
        stack, reset = struct.unpack_from("<2I", segment.data())
    assert target.test_memory
    assert segment["p_paddr"] == target.test_memory.flash.origin
    ram = target.test_memory.ram
    assert ram.origin < stack <= ram.origin + ram.bytes
    assert reset & 1


@pytest.mark.parametrize("size", [1, 255, 256, 257, 1000])
def test_any_length(size: int) -> None:
    data = bytes(1 + index % 255 for index in range(size))
    address, found = parse_uf2(uf2_blocks(data, address=0x2000_0000, family=FAMILY))
    assert address == 0x2000_0000
    assert found.rstrip(b"\0") == data
    assert len(found) - size < PAYLOAD_BYTES
