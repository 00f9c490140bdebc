"""The RAM that is reported is the RAM that is taken, and all that judge it judge that figure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tests.arena.models import assert_equals_tflm, compiled
from tests.conftest import ZooModel
from tests.plan.chains import Chain
from tests.plan.test_regions import part
from tests.support.hand_written import target_or_skip
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.errors import DoesNotFitError
from tinyml_rules.firmware.build import compile_objects
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.model_file.writer import OPTIONAL, ModelSpec, build_model
from tinyml_rules.plan.groups import Ram
from tinyml_rules.reporting.tables import model_figures, model_summary
from tinyml_rules.request.request import Request, Weights
from tinyml_rules.target.target import Target, load_target

SETTINGS: dict[str, dict[str, Any]] = {
    "static": {},
    "shared": {"arena": ArenaMode.SHARED},
    "caller": {"arena": ArenaMode.CALLER},
    "pushed": {"push_rows": True},
    "pushed, shared": {"push_rows": True, "arena": ArenaMode.SHARED},
    "external": {"weights": Weights.EXTERNAL},
    "external, shared": {"weights": Weights.EXTERNAL, "arena": ArenaMode.SHARED},
    "external, caller, page of 7": {
        "weights": Weights.EXTERNAL,
        "arena": ArenaMode.CALLER,
        "page_bytes": 7,
    },
    "external, pushed": {"weights": Weights.EXTERNAL, "push_rows": True, "page_bytes": 9},
}
CASES = [
    *(
        (name, target, settings)
        for name in ("kws", "speech")
        for target in ("atmega1284p", "nrf51", "riscv32imc")
        for settings in SETTINGS
    ),
    *(
        (name, "nrf52840", settings)
        for name in ("sine", "ad", "person_detect")
        for settings in ("static", "external, shared")
    ),
    ("kws", "esp8266", "external, pushed"),
    ("person_detect", "nrf52840", "pushed"),
    ("person_detect", "atmega1284p", "external, pushed"),
]


def taken(target: Target, made: Compiled, folder: Path) -> dict[str, int]:
    """{"RAM" or region: bytes} of the writable sections of the model's object and its common
    symbols; the caller's arena counts as he declares it."""
    objects = compile_objects(target, sources=made.outputs, interface=made.interface, folder=folder)
    arena = made.report.arena_bytes if made.interface.arena is ArenaMode.CALLER else 0
    with objects.files[0].open("rb") as file:
        return dict(_memories(ELFFile(file), arena))


def _memories(elf: ELFFile, ram_bytes: int) -> Iterator[tuple[str, int]]:
    for section in elf.iter_sections():
        if not section["sh_flags"] & SH_FLAGS.SHF_WRITE or not section["sh_size"]:
            continue
        if section.name.startswith(".tinyml_"):
            yield section.name.removeprefix(".tinyml_"), section["sh_size"]
        else:
            ram_bytes += section["sh_size"]
    table = elf.get_section_by_name(".symtab")
    assert isinstance(table, SymbolTableSection)
    commons = (each["st_size"] for each in table.iter_symbols() if each["st_shndx"] == "SHN_COMMON")
    yield "RAM", ram_bytes + sum(commons)


@pytest.mark.parametrize(("name", "target_name", "settings"), CASES)
def test_what_is_reported_is_what_the_object_takes(
    name: str, target_name: str, settings: str, zoo_model: ZooModel, tmp_path: Path
) -> None:
    target = target_or_skip(target_name)
    model = zoo_model(name).read_bytes()
    made = compile_model(Request(model, name, target, **SETTINGS[settings]))
    assert taken(target, made, tmp_path / "build") == {"RAM": made.report.model_ram_bytes}


def test_further_regions_each_by_its_own(zoo_model: ZooModel, tmp_path: Path) -> None:
    target = part(tmp_path)
    model = zoo_model("speech").read_bytes()
    made = compile_model(Request(model, "speech", target, places=(("#3", "fast"), ("9", "fast"))))
    regions = made.report.region_bytes
    assert regions == {"fast": 1960}
    expected = {"RAM": made.report.model_ram_bytes, **regions}
    assert taken(target, made, tmp_path / "build") == expected


def two_streams_with_sums() -> bytes:
    """Twice a convolution whose rows an average over the whole image takes as they come."""
    chain = Chain(lambda low, _: low)
    chain.activation((1, 16, 4, 2))
    for channels, image in ((16, None), (12, (1, 16, 8, 2))):
        if image is not None:
            chain.append("FULLY_CONNECTED", chain.weights((256, 16), taps=16), shape=(1, 256))
            chain.append("RESHAPE", shape=image)
        _, rows, columns, depth = chain.shape
        weights = chain.weights((channels, 3, 3, depth), taps=9 * depth)
        same = {"Padding": 0, "StrideH": 1, "StrideW": 1}
        shape = (1, rows, columns, channels)
        chain.append("CONV_2D", weights, OPTIONAL, shape=shape, **same)
        whole = {"Padding": 1, "StrideH": 1, "StrideW": 1}
        whole |= {"FilterHeight": rows, "FilterWidth": columns}
        chain.append("AVERAGE_POOL_2D", shape=(1, 1, 1, channels), **whole)
    return build_model(
        ModelSpec(tuple(chain.tensors), tuple(chain.operators), (0,), (chain.current,))
    )


@pytest.mark.parametrize("arena", [ArenaMode.STATIC, ArenaMode.SHARED])
def test_streams_one_after_the_other_share_their_sums(arena: ArenaMode, tmp_path: Path) -> None:
    """Only one of them runs at a time."""
    model = tmp_path / "two.tflite"
    model.write_bytes(two_streams_with_sums())
    target = target_or_skip("nrf52840")
    made = compiled(model, target, arena)
    assert len(made.report.streams) == 2
    assert made.report.state_bytes == 4 * 16
    assert taken(target, made, tmp_path / "build") == {"RAM": made.report.model_ram_bytes}
    assert_equals_tflm(made, model, target, tmp_path / "run")


@pytest.mark.parametrize("settings", ["static", "caller", "shared", "pushed", "external"])
def test_the_limit_is_for_the_figure(settings: str, zoo_model: ZooModel) -> None:
    """One byte less is refused, with the figure, wherever the arena lives."""
    model = zoo_model("kws").read_bytes()

    def limited(ram: Ram | int) -> Compiled:
        request = Request(model, "kws", load_target("nrf52840"), ram=ram, **SETTINGS[settings])
        return compile_model(request)

    made = limited(Ram.LEAST).report
    least = made.model_ram_bytes
    assert limited(least).report.model_ram_bytes == least
    with pytest.raises(DoesNotFitError) as caught:
        limited(least - 1)
    more, first = "", made.curve[0].macs if made.curve else made.macs
    if made.macs > first:
        more = f", even with {100 * (made.macs - first) / first:.0f} % more products"
    what = (
        f"kws: error: needs {least:,} bytes of RAM for the model alone{more}, "
        f"expected at most {least - 1:,}"
    )
    assert str(caught.value) == what


def test_a_part_of_128_bytes(zoo_model: ZooModel) -> None:
    """It is planned for as any other: a table fits, and kws is refused by name and size."""
    usual = load_target("atmega328")
    assert usual.memory is not None
    ram = replace(usual.memory.ram, bytes=128)
    tiny = replace(usual, memory=replace(usual.memory, ram=ram))
    sine = Request(zoo_model("sine").read_bytes(), "sine", tiny)
    assert compile_model(sine).report.model_ram_bytes == 1
    with pytest.raises(DoesNotFitError, match=r"^kws: error: needs [0-9,]+ bytes .* has 128;"):
        compile_model(Request(zoo_model("kws").read_bytes(), "kws", tiny))


def test_every_line_says_it(zoo_model: ZooModel) -> None:
    """The line of a build, the summary and the picture."""
    model = zoo_model("kws").read_bytes()
    request = Request(model, "kws", load_target("nrf52840"), weights=Weights.EXTERNAL)
    made = compile_model(request)
    ram_bytes = made.report.model_ram_bytes
    assert model_figures(made.report).endswith(f" {ram_bytes / 1000:.1f} kB RAM")
    assert f": RAM {ram_bytes:,} B (arena " in model_summary(made.report)
    picture = made.documents["kws.memory.svg"]
    assert f"kws: {ram_bytes:,} B of RAM: arena " in picture
    sums = re.search(r"sums and counters: (\d+) B at 0", picture)
    assert sums is not None
    assert int(sums[1]) == made.report.state_bytes == 256
    assert made.report.peak is not None
    assert made.report.peak.bytes == made.report.arena_bytes
