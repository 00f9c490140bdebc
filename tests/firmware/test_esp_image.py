"""ESP8266: the file for the board, against what Espressif's own tool makes of the same firmware."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ZooModel
from tests.support.hand_written import build_snippet, target_or_skip
from tinyml_rules.compiler import compile_model
from tinyml_rules.firmware.build import build_image
from tinyml_rules.firmware.formats.esp8266 import elf_to_esp8266, esp8266_image
from tinyml_rules.firmware.image import Image
from tinyml_rules.firmware.measure import measure_image
from tinyml_rules.request.request import Request

FLASH = ("--flash-mode", "dio", "--flash-freq", "40m", "--flash-size", "1MB")
MAPPED_FILE = re.compile(r"image-0x(\w{5})\.bin")


def esptool(*words: str) -> str:
    """What Espressif's tool says; it has to end well."""
    command = [sys.executable, "-m", "esptool", "--chip", "esp8266", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def laid_out_by_esptool(image: Image, folder: Path) -> bytes:
    """Its files, each at the place in flash that is its name, and 0xFF between them."""
    folder.mkdir()
    esptool("elf2image", *FLASH, "--output", str(folder / "image-"), str(image.elf))
    flash = b""
    for file in sorted(folder.iterdir()):
        found = MAPPED_FILE.fullmatch(file.name)
        assert found
        start = int(found[1], 16)
        assert start >= len(flash)
        flash = flash.ljust(start, b"\xff") + file.read_bytes()
    return flash


def assert_as_of_esptool(image: Image, folder: Path, *, segments: int) -> None:
    flash = elf_to_esp8266(image.elf)
    assert flash == laid_out_by_esptool(image, folder / "esptool")
    file = folder / "image.bin"
    file.write_bytes(flash)
    said = esptool("image-info", str(file))
    assert re.search(r"Checksum: 0x\w\w \(valid\)", said)
    assert f"Segments: {segments}\n" in said


def test_a_model(zoo_model: ZooModel, tmp_path: Path) -> None:
    target = target_or_skip("esp8266")
    made = compile_model(Request(zoo_model("sine").read_bytes(), "sine", target))
    image = build_image(target, sources=made.files, interface=made.interface, folder=tmp_path)
    assert_as_of_esptool(image, tmp_path, segments=1)
    assert measure_image(target, image).flash_bytes == len(elf_to_esp8266(image.elf))


@pytest.mark.parametrize("count", [1, 4, 30, 900])
def test_variables_with_values_are_loaded(count: int, tmp_path: Path) -> None:
    """Of any size: the checksum's place depends on it, and that of what is read in place."""
    target = target_or_skip("esp8266")
    before = f"static volatile int32_t bad_values[{count}] = {{0x01234567}};"
    invoke = "bad_value = (int8_t)bad_values[bad_value & 1];"
    image = build_snippet(target, tmp_path, before=before, invoke=invoke, kind="minimal")
    assert_as_of_esptool(image, tmp_path, segments=2)


def test_a_segment_is_filled_up_to_words() -> None:
    """Magic, segments, mode, size and frequency, entry; address, length, data; checksum."""
    image = esp8266_image([(0x3FFE_8000, b"\x01\x02\x04\x08\x10")], entry=0x4010_0000)
    assert image == bytes.fromhex(
        "e9 01 02 20 00 00 10 40  00 80 fe 3f 08 00 00 00"
        "01 02 04 08 10 00 00 00  00 00 00 00 00 00 00 f0"
    )


def test_the_checksum_has_a_unit_of_its_own_if_need_be() -> None:
    """Sixteen bytes of header, and sixteen of data."""
    image = esp8266_image([(0x3FFE_8000, b"\xff" + bytes(15))], entry=0x4010_0000)
    assert len(image) == 48
    assert image[32:] == bytes(15) + b"\x10"
