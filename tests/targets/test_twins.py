"""Targets that are like another one: the same program as there, in memories of their own.

What the other one's tests say of kernels holds here, because both get the same instructions.  So a
model is compiled once for both; what is their own is linked, looked at, and run.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from tests.arena.models import assert_equals_tflm, compiled, samples_of, symbols_of
from tests.conftest import MODELS_FOLDER, ZooModel
from tests.support.available import twins
from tests.support.hand_written import CACHE, target_or_skip
from tests.support.tflm import tflm_outputs
from tinyml_rules.compiler import Compiled
from tinyml_rules.errors import DoesNotFitError
from tinyml_rules.firmware.board import flash_command, program_suffix
from tinyml_rules.firmware.build import (
    ModelObjects,
    build_image,
    build_image_around,
    compile_objects,
    link_image,
)
from tinyml_rules.firmware.image import Image, Kind
from tinyml_rules.firmware.measure import ImageSize, check_fits, measure_image
from tinyml_rules.firmware.support import support_sources
from tinyml_rules.runners import run_image
from tinyml_rules.target.target import Target, load_target

MODELS = ("sine", "speech")
OWN_FLAGS = {
    "atmega168": "-mmcu=atmega168",
    "atmega32u4": "-mmcu=atmega32u4",
    "stm32f746": "-mfpu=fpv5-sp-d16",
}
"""Where the compiler is told another part, and makes the same code all the same."""
BOOT_BYTES = {"rp2040": 256, "rp2350": 20, "gd32vf103": 24}
"""For the boot ROM of the part."""
VECTORS_BYTES = {"atmega168": 26 * 4, "atmega328": 26 * 4, "atmega32u4": 43 * 4}
SLACK_BYTES = {"esp32c3": 24, "nrf5340": 4}
"""Of sections that end at whole units."""

ModelOf = Callable[[str, str], Compiled]
ImageOf = Callable[[str, str, Kind], Image]


def _has_regions(name: str) -> bool:
    memory = load_target(name).memory
    return memory is not None and "fast" in memory.regions


@pytest.fixture(scope="module")
def model_of(zoo_model: ZooModel) -> ModelOf:
    """A function from a model's name and a target's to the C of its layers, which is made once."""

    @cache
    def made(model: str, target: str) -> Compiled:
        part = load_target(target)
        is_pushed = model == "speech" and part.architecture == "avr"  # or RAM is too small
        return compiled(zoo_model(model), part, is_pushed=is_pushed)

    return made


@pytest.fixture(scope="module")
def image_of(model_of: ModelOf, tmp_path_factory: pytest.TempPathFactory) -> ImageOf:
    """A function from a model, a target and a kind to the image.  A twin links the other one's
    objects if both have the same flags and the same files."""
    root = tmp_path_factory.mktemp("twins")

    @cache
    def objects(model: str, name: str) -> ModelObjects:
        made, target = model_of(model, load_target(name).like or name), load_target(name)
        return compile_objects(
            target,
            sources=made.files,
            interface=made.interface,
            folder=root / f"{name}_{model}",
        )

    @cache
    def image(model: str, name: str, kind: Kind) -> Image:
        target = target_or_skip(name)
        if not target.like or name in OWN_FLAGS:
            return build_image_around(target, objects(model, name), kind=kind)
        folder = root / f"{name}_{model}"
        folder.mkdir(exist_ok=True)
        other = load_target(target.like)
        if support_sources(target, kind=kind) != support_sources(other, kind=kind):
            shared = replace(objects(model, target.like), folder=folder)
            return build_image_around(target, shared, kind=kind)
        built = image(model, target.like, kind)
        files = {name: folder / getattr(built, name).name for name in ("elf", "map_file")}
        linked = replace(built, **files)
        link_image(target, linked)
        return linked

    return image


@pytest.fixture(params=twins())
def twin(request: pytest.FixtureRequest) -> Target:
    """Every target that is like another one."""
    return target_or_skip(request.param)


def test_the_same_core(twin: Target) -> None:
    """What the compiler and the emulator are told, and what kernels may assume."""
    other = load_target(twin.like)
    assert not other.like
    for name in ("architecture", "features", "cycles", "floors", "tools"):
        assert getattr(twin, name) == getattr(other, name)
    assert twin.toolchain.prefix == other.toolchain.prefix
    assert twin.toolchain.link_flags == other.toolchain.link_flags
    flags, others = set(twin.toolchain.compile_flags), set(other.toolchain.compile_flags)
    if twin.name in OWN_FLAGS:
        assert OWN_FLAGS[twin.name] in flags - others
        assert len(flags - others) == len(others - flags)
    else:
        assert flags == others
    assert twin.runner.kind == other.runner.kind
    if twin.runner.kind == "qemu":
        assert twin.runner == other.runner
        assert twin.test_memory
        assert other.test_memory
        same = (twin.test_memory.flash, twin.test_memory.ram)
        assert same == (other.test_memory.flash, other.test_memory.ram)


def test_only_what_is_the_parts_own(twin: Target) -> None:
    """A board's programmer and the currents of a data sheet are those of one part."""
    other = load_target(twin.like)
    assert twin.memory != other.memory
    assert twin.description != other.description
    assert twin.power is None or twin.power != other.power
    if twin.programmer and other.programmer:
        assert twin.programmer != other.programmer


def own_bytes(name: str) -> int:
    """What of flash depends on the part alone."""
    return BOOT_BYTES.get(name, 0) + VECTORS_BYTES.get(name, 0)


@pytest.mark.parametrize("model", MODELS)
def test_the_figures_of_the_other_one(twin: Target, model: str, image_of: ImageOf) -> None:
    """Flash, RAM and stack are the same but for what the part's start takes; a model that by these
    figures does not fit is refused."""
    other = measure_image(load_target(twin.like), image_of(model, twin.like, "minimal"))
    flash_bytes = other.flash_bytes - own_bytes(twin.like) + own_bytes(twin.name)
    assert twin.memory
    if flash_bytes > twin.memory.flash.bytes or other.ram_bytes > twin.memory.ram.bytes:
        with pytest.raises(DoesNotFitError, match=f"'{twin.name}' has"):
            check_fits(twin, measured(twin, image_of, model), where=model)
        return
    found = measured(twin, image_of, model)
    check_fits(twin, found, where=model)
    assert abs(found.flash_bytes - flash_bytes) <= SLACK_BYTES.get(twin.name, 0)
    assert found.static_ram_bytes == other.static_ram_bytes
    assert (found.stack_bytes, found.invoke_stack_bytes) == (
        other.stack_bytes,
        other.invoke_stack_bytes,
    )


def measured(twin: Target, image_of: ImageOf, model: str) -> ImageSize:
    """What the minimal firmware takes."""
    return measure_image(twin, image_of(model, twin.name, "minimal"))


def test_where_everything_lies(twin: Target, image_of: ImageOf) -> None:
    """Code and constants in flash, variables at the end of RAM, the stack below them."""
    elf = image_of("sine", twin.name, "minimal").elf
    assert twin.memory
    flash, ram = twin.memory.flash, twin.memory.ram
    with elf.open("rb") as file:
        segments = [each.header for each in ELFFile(file).iter_segments(type="PT_LOAD")]
    loaded = [each for each in segments if each["p_filesz"]]
    assert min(each["p_paddr"] for each in loaded) == flash.origin
    for each in loaded:
        assert each["p_paddr"] + each["p_filesz"] <= flash.origin + flash.bytes
    symbols = symbols_of(elf)
    assert symbols["__stack_bottom"][0] == ram.origin
    assert ram.origin < symbols["__stack_top"][0] <= symbols["__data_start"][0]
    assert 0 <= ram.origin + ram.bytes - symbols["__bss_end"][0] < 8
    if twin.architecture == "arm":
        with elf.open("rb") as file:
            code = next(ELFFile(file).iter_segments(type="PT_LOAD")).data()
        stack, reset = struct.unpack_from("<2I", code)
        assert stack == symbols["__stack_top"][0]
        assert reset == symbols["tinyml_reset"][0] | 1, "the Thumb bit"
        assert flash.origin % 512 == 0, "the vectors of the processor and of 112 interrupts"


def test_exact_on_the_emulator(twin: Target, image_of: ImageOf, model_of: ModelOf) -> None:
    """As TFLM, value by value; on a machine that it shares with the other one with its counts."""
    made = model_of("sine", twin.like)
    samples = samples_of(made)
    result = run_image(
        twin,
        image_of("sine", twin.name, "test"),
        samples.tobytes(),
        timeout_s=120,
        cache=CACHE,
        invoke_symbol=made.interface.entry,
    )
    (expected,) = tflm_outputs((MODELS_FOLDER / "sine" / "sine.tflite").read_bytes(), [samples])
    assert result.output == expected.tobytes()
    other = load_target(twin.like)
    of_other = run_image(
        other,
        image_of("sine", other.name, "test"),
        samples.tobytes(),
        timeout_s=120,
        cache=CACHE,
        invoke_symbol=made.interface.entry,
    )
    assert result.counts == of_other.counts


@pytest.mark.parametrize("name", [name for name in twins() if _has_regions(name)])
def test_the_fast_memory(name: str, tmp_path: Path, zoo_model: ZooModel) -> None:
    """A tensor that is placed there lies there, on the part and on the emulator."""
    target = target_or_skip(name)
    made = compiled(zoo_model("sine"), target, places=(("3", "fast"),))
    image = build_image(target, sources=made.files, interface=made.interface, folder=tmp_path)
    assert target.memory
    address, size = symbols_of(image.elf)["sine_arena_fast"]
    assert (address, size) == (target.memory.regions["fast"].origin, 16)
    assert_equals_tflm(made, zoo_model("sine"), target, tmp_path / "test")


def test_how_a_board_is_programmed() -> None:
    """Every command is complete, with a file of its format."""
    for name in twins():
        target = load_target(name)
        if target.programmer is None:
            continue
        file = f"sine.{program_suffix(target)}"
        words = flash_command(target.programmer, file=file, port="/dev/port")
        assert words[0] == target.programmer.program
        assert len([word for word in words if file in word]) == 1
        assert not any("{" in word for word in words)


def test_a_gd32vf103_begins_where_it_was_linked_for(image_of: ImageOf) -> None:
    """Six instructions that end in a jump to the next one, with bit 27 of its address set."""
    symbols = symbols_of(image_of("sine", "gd32vf103", "minimal").elf)
    assert symbols["tinyml_boot"] == (0x0800_0000, 24)
    assert symbols["tinyml_reset"][0] == 0x0800_0000 + 24


def test_an_esp32c3_has_no_page_of_code_and_constants(image_of: ImageOf) -> None:
    """Flash is mapped twice, by one table: the two addresses of a page have the same offset."""
    with image_of("sine", "esp32c3", "minimal").elf.open("rb") as file:
        found = {each.name: each.header for each in ELFFile(file).iter_sections()}
    code, constants = found[".text"], found[".rodata"]
    assert code["sh_addr"] == 0x4200_0000
    pages = [(each["sh_addr"] & 0x7F_FFFF) >> 16 for each in (code, constants)]
    assert pages[1] > pages[0] + (code["sh_size"] - 1 >> 16)
    assert constants["sh_addr"] >> 24 == 0x3C
