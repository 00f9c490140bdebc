"""`NAME_selftest` on parts: it passes on what was built, and finds what was broken since."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tests.arena.test_early_ends import MODELS as ENDING
from tests.conftest import ZooModel
from tests.frontends.builds import SINE
from tests.self_test.probe import (
    CONSTANTS,
    INFERENCE,
    PASSED,
    WEIGHTS,
    compiled_probe,
    probe_image,
)
from tests.support.hand_written import CACHE, target_or_skip
from tests.weights.test_called import model as branching
from tinyml_rules.compiler import compile_model
from tinyml_rules.firmware.build import build_image
from tinyml_rules.firmware.image import Image
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.lower.far_weights import move_weights_far
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.plan import programs
from tinyml_rules.request.request import Request, Weights
from tinyml_rules.runners import run_image
from tinyml_rules.runners.native import compile_cached
from tinyml_rules.system.process import run_program, run_tool
from tinyml_rules.target.target import load_target

FLIP_BITS = Path(__file__).with_name("flip_bits.c")
MOST_CYCLES = 1_000_000
"""Of a self test of sine, which takes 50,000."""


def sine(part: str, **settings: Any) -> Request:
    model = (SINE / "sine.tflite").read_bytes()
    return Request(model, "sine", target_or_skip(part), optimize=Optimize.LAYERS, **settings)


def results(request: Request, image: Image) -> list[int]:
    """Of two self tests, one after the other: the first may leave nothing behind."""
    return list(run_image(request.target, image, b"ab", cache=CACHE).output)


@pytest.mark.parametrize(
    ("model", "part", "settings"),
    [
        ("speech", "esp8266", {"arena": ArenaMode.CALLER}),
        ("speech", "riscv32imc", {"weights": Weights.PACKED}),
        ("kws", "nrf52840", {"push_rows": True}),
        ("kws", "host", {"push_rows": True, "arena": ArenaMode.SHARED}),
    ],
)
def test_passes(
    zoo_model: ZooModel, model: str, part: str, settings: dict[str, Any], tmp_path: Path
) -> None:
    """Constants of every kind, an input whole or row by row, an arena of the caller's."""
    request = Request(zoo_model(model).read_bytes(), model, target_or_skip(part), **settings)
    assert results(request, probe_image(request, tmp_path)) == [PASSED, PASSED]


def test_far_constants(
    zoo_model: ZooModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond the reach of 16-bit addresses, beside others within it."""
    rule = partial(move_weights_far, near_bytes=0)
    monkeypatch.setattr(programs, "move_weights_far", rule)
    target = target_or_skip("atmega1284p")
    request = Request(zoo_model("speech").read_bytes(), "speech", target)
    image = probe_image(request, tmp_path)
    assert "__memx" in (tmp_path / "model" / "speech.c").read_text()
    assert results(request, image) == [PASSED, PASSED]
    (far,) = (name for name in symbols(image) if name.endswith("node_2_weights"))
    found = faults(
        image, "atmega1284p", [far, "speech_node_3_exponentials"], step=8009, most_cycles=20_000_000
    )
    assert set(found) == {CONSTANTS} and found[CONSTANTS] > 10


@pytest.mark.parametrize("name", ["branching", "one"])
def test_graphs_and_state(name: str, tmp_path: Path) -> None:
    """A bool among the inputs, and graphs that a node runs; a variable, which begins anew, and an
    inference that may end early."""
    model = build_model(branching() if name == "branching" else ENDING[name])
    request = Request(model, name, target_or_skip("host"))
    assert results(request, probe_image(request, tmp_path)) == [PASSED, PASSED]


def test_weights_file(zoo_model: ZooModel, tmp_path: Path) -> None:
    """A weights file that lacks a bit is found out, in an SPI memory beside an AVR."""
    target = target_or_skip("atmega1284p")
    model = zoo_model("speech").read_bytes()
    request = Request(model, "speech", target, weights=Weights.EXTERNAL, page_bytes=128)
    image = probe_image(request, tmp_path)
    assert image.weights is not None
    assert run_image(target, image, b"a", cache=CACHE).output == bytes([PASSED])
    data = bytearray(image.weights.read_bytes())
    data[len(data) // 3] ^= 4
    image.weights.write_bytes(data)
    assert run_image(target, image, b"a", cache=CACHE).output == bytes([WEIGHTS])


def test_every_bit_of_constants(tmp_path: Path) -> None:
    """Of the image for an AVR with each bit of its tables flipped in turn."""
    request = sine("atmega328")
    image = probe_image(request, tmp_path)
    tables = [name for name in symbols(image) if name.startswith("sine_node_")]
    assert len(tables) == 4
    bits = 8 * sum(symbols(image)[name][1] for name in tables)
    found = faults(image, "atmega328p", tables)
    assert found == Counter({CONSTANTS: bits})
    assert bits == 8 * compile_model(request).report.constant_bytes


@pytest.mark.parametrize("part", ["lm3s6965", "riscv32imc"])
def test_some_bits_of_constants(part: str, tmp_path: Path) -> None:
    """The same where the emulator takes longer to start: the first and the last of each table."""
    request = sine(part)
    image = probe_image(request, tmp_path)
    whole = image.elf.read_bytes()
    tables = [name for name in symbols(image) if re.fullmatch(r"sine_node_\d_[a-z]+", name)]
    assert len(tables) > 3
    for table in tables[:3]:
        address, size = symbols(image)[table]
        data = bytearray(whole)
        data[place_in_file(image, address)] ^= 1
        image.elf.write_bytes(data)
        assert results(request, image) == [CONSTANTS, CONSTANTS]
        data = bytearray(whole)
        data[place_in_file(image, address + size - 1)] ^= 128
        image.elf.write_bytes(data)
        assert results(request, image) == [CONSTANTS, CONSTANTS]
    image.elf.write_bytes(whole)
    assert results(request, image) == [PASSED, PASSED]


def test_wrong_arithmetic(tmp_path: Path) -> None:
    """Tables as they should be, and a number in the code that is not."""
    request = sine("host")
    compiled = compiled_probe(request)
    text = compiled.files["sine.c"]
    pattern = re.compile(r"(\.output_zero_point = )(-?\d+)")
    broken = pattern.sub(lambda found: f"{found[1]}{int(found[2]) + 1}", text)
    assert broken != text
    compiled = replace(compiled, files={**compiled.files, "sine.c": broken})
    image = build_image(
        request.target,
        sources=compiled.outputs,
        interface=compiled.interface,
        kind="test",
        folder=tmp_path,
    )
    assert results(request, image) == [INFERENCE, INFERENCE]


def test_no_self_test() -> None:
    """Without the option there is nothing of it."""
    text = str(compile_model(sine("host")).outputs)
    assert "selftest" not in text and "crc" not in text


def symbols(image: Image) -> dict[str, tuple[int, int]]:
    """(address, bytes) of what the image has, by name."""
    with image.elf.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        return {each.name: (each["st_value"], each["st_size"]) for each in table.iter_symbols()}


def place_in_file(image: Image, address: int) -> int:
    """Of a byte of the image, in its ELF file."""
    with image.elf.open("rb") as file:
        (place,) = (
            address - each["sh_addr"] + each["sh_offset"]
            for each in ELFFile(file).iter_sections()
            if each["sh_flags"] & SH_FLAGS.SHF_ALLOC
            and each["sh_addr"] <= address < each["sh_addr"] + each["sh_size"]
        )
    return int(place)


def faults(
    image: Image, machine: str, names: list[str], *, step: int = 1, most_cycles: int = MOST_CYCLES
) -> Counter[int]:
    """What the self test says with each bit of these flipped, how often."""
    flash = image.elf.with_suffix(".bin")
    toolchain = load_target("atmega328").toolchain
    run_tool(toolchain.objcopy_command(image.elf, flash, output_format="binary"), where="flash")
    program = compile_cached(FLIP_BITS, flags=("-lsimavr",), cache=CACHE, folder=flash.parent)
    places = [symbols(image)[name] for name in names]
    ranges = [f"{address}:{address + size - 1}" for address, size in places]
    done = run_program(
        [str(program), machine, str(flash), str(most_cycles), str(step), *ranges],
        where="faults",
        timeout_s=300,
    )
    as_it_is, *found = done.stdout
    assert as_it_is == PASSED
    return Counter(found)
