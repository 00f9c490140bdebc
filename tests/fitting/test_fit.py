"""`fit`: exact where it says so, within its margin elsewhere, by images that are linked here."""

from __future__ import annotations

import json
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.zoo import matrix_models
from tests.conftest import MODELS_FOLDER, ZooModel
from tests.fitting.test_ways import MODELS
from tests.plan.chains import random_chain
from tests.support.hand_written import target_or_skip
from tinyml_rules.cli import main
from tinyml_rules.compiler import compile_model
from tinyml_rules.fitting.fit import Need, Result, fits
from tinyml_rules.request.request import Request
from tinyml_rules.runners.model import build_minimal
from tinyml_rules.target.part_table import Part, load_parts
from tinyml_rules.target.parts import FLASH, RAM
from tinyml_rules.target.target import load_target

KINDS = ("atmega1284p", "nrf51", "lm3s6965", "nrf52840", "mps3_an547", "riscv32imc", "esp8266")


def of_target(name: str) -> Part:
    memory = load_target(name).memory
    assert memory
    return Part(name, "", name, memory.flash.bytes, memory.ram.bytes, None)


def need_of(model: bytes, name: str) -> Need:
    def requested(target: str) -> Request:
        return Request(model, "model", load_target(target))

    (found,) = fits(requested, [of_target(name)])
    assert found.need is not None, found.reason
    return found.need


@pytest.mark.parametrize("name", KINDS)
def test_zoo(name: str, zoo_model: ZooModel) -> None:
    """Constants and tensors are those of the compiled model; flash and RAM of the linked firmware,
    as `matrix` recorded them, lie within the margins."""
    rows = json.loads((MODELS_FOLDER / "results.json").read_text(encoding="utf-8"))
    compared = 0
    for model in matrix_models(MODELS_FOLDER):
        data = zoo_model(model).read_bytes()
        row = next(each for each in rows if (each["target"], each["model"]) == (name, model))
        if row["flash_bytes"] is None or row["settings"]:
            continue
        need = need_of(data, name)
        report = compile_model(Request(data, "model", load_target(name))).report
        assert need.constant_bytes == report.constant_bytes
        assert need.planned_ram_bytes == report.model_ram_bytes
        assert need.flash_bytes[0] <= row["flash_bytes"] <= need.flash_bytes[1]
        assert need.ram_bytes[0] <= row["ram_bytes"] <= need.ram_bytes[1]
        compared += 1
    assert compared >= 3


def _drawn(generator: np.random.Generator, low: int, high: int) -> int:
    return int(generator.integers(low, high + 1))


@pytest.mark.parametrize("name", ["atmega1284p", "nrf52840", "riscv32imc"])
def test_models_that_the_table_has_not_seen(name: str) -> None:
    """Random chains of layers: what is linked lies within the bounds, or beyond by a fifth."""
    target = target_or_skip(name)
    for seed in (30, 31, 32):
        generator = np.random.default_rng(seed)
        model = random_chain(partial(_drawn, generator))
        need = need_of(model, name)
        with tempfile.TemporaryDirectory() as folder:
            compiled = compile_model(Request(model, "model", target))
            _, size = build_minimal(compiled, target, folder=Path(folder))
        for found, (least, most) in (
            (size.flash_bytes, need.flash_bytes),
            (size.ram_bytes, need.ram_bytes),
        ):
            assert 0.8 * least <= found <= 1.2 * most


def told(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    assert main(["fit", *words]) == status
    captured = capsys.readouterr()
    return captured.err if status else captured.out


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "tall.tflite"
    path.write_bytes(MODELS["tall"])
    return str(path)


def data_of(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(told(capsys, *words, "--json"))
    return found


def test_every_part_is_judged(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    """By its own memories; what fits on one fits on another with the same core and more of both."""
    parts = data_of(capsys, model)["parts"]
    assert len(parts) == len(load_parts())
    for part in parts:
        needs = part["needs"]
        has_room = needs["most_flash_bytes"] <= part["flash_bytes"]
        has_room = has_room and needs["most_ram_bytes"] <= part["ram_bytes"]
        assert (part["result"] == Result.FITS) == has_room
    assert {part["result"] for part in parts} >= {Result.FITS, Result.TOO_SMALL}


def test_ways_hold(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What is said to make it fit on a smaller part does."""
    found = data_of(capsys, model)
    first = next(part for part in found["parts"] if part["result"] == Result.FITS)
    assert found["ways"]
    for way in found["ways"]:
        before = next(part for part in found["parts"] if part["name"] == way["part"])
        assert before["ram_bytes"] <= first["ram_bytes"] and before["result"] != Result.FITS
        after = data_of(capsys, model, "--parts", way["part"], *way["settings"])["parts"][0]
        assert after["needs"]["planned_ram_bytes"] == way["needed_bytes"][RAM]
        assert after["needs"]["constant_bytes"] == way["needed_bytes"][FLASH]
        assert after["result"] == Result.FITS


def test_text(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The smallest parts, those alike in one line; the rest of the firmware counts."""
    lines = told(capsys, model).splitlines()
    assert lines[0].startswith("tall: ") and " parts have room; " in lines[0]
    assert lines[1].split()[:2] == ["part", "core"]
    assert any(line.startswith("and ") and "larger ones" in line for line in lines)
    assert "what would make it fit on a smaller one:" in lines
    some = told(capsys, model, "--parts", "nrf52", "--all")
    assert some.startswith("tall: 3 of 3 parts") and "nrf52833" in some
    none = told(capsys, model, "--parts", "nrf52", "--other-ram", "300000", "--all")
    assert none.startswith("tall: 0 of 3 parts") and "too small" in none


def test_not_for_every_core(zoo_model: ZooModel, capsys: pytest.CaptureFixture[str]) -> None:
    """Tables beyond an AVR's `int` are told once, with how many parts that is."""
    text = told(capsys, str(zoo_model("person_detect")), "--parts", "atmega328,nrf52840")
    assert "not for it: the bytes of its table 'weights' are" in text
    assert "nrf52840" in text.splitlines()[2]


def test_mistakes(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A part that there is not, and a model that is none."""
    assert "no part whose name begins with 'x1'" in told(capsys, model, "--parts", "x1", status=2)
    broken = tmp_path / "broken.tflite"
    broken.write_bytes(b"none")
    assert "broken: error" in told(capsys, str(broken), status=1)
    assert "found '-1', expected a number of" in told(capsys, model, "--other-ram=-1", status=2)
