"""The benchmark set: exact, as quick as written down; and the tables beside the last release."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.bench import bench_text, layer_rows, layer_table, means, ratio, zoo_rows
from benchmarks.layer_figures import TARGETS, LayerRow, by_layer, layers_of, measure_layers
from benchmarks.layers import LAYERS
from benchmarks.matrix import Result, Row, compiler_of
from benchmarks.release import RELEASE, Release, release_json, release_of
from benchmarks.results import rows_of
from benchmarks.tflm import Reference, references_of
from tests.conftest import MODELS_FOLDER, PROJECT
from tests.support.hand_written import target_or_skip

RECORDED = layers_of((PROJECT / "benchmarks" / "layers.json").read_text("utf-8"))
ROWS = rows_of((MODELS_FOLDER / "results.json").read_text("utf-8"))
REFERENCES = references_of((MODELS_FOLDER / "tflm.json").read_text("utf-8"))

SMALL = Row("nrf52840", "kws", Result.EXACT, flash_bytes=900, ram_bytes=90, instructions=500)
LAYER = LayerRow("nrf52840", "add", "instructions", 300, 0, 100, 50, 20)
BEFORE = Release(
    "0.0.1",
    [replace(SMALL, flash_bytes=1000, ram_bytes=100, instructions=1000)],
    [replace(LAYER, count=400, flash_bytes=100)],
)
THEIRS = [Reference("Cortex-M4", "nrf52840", "kws", 1800, 180, 2000)]


def measured(target: str, names: list[str], folder: Path) -> dict[str, LayerRow]:
    """Today's rows, where the compiler is the one that the recorded ones are of."""
    part = target_or_skip(target)
    found = measure_layers(part, names, folder=folder)
    assert [row.layer for row in found] == names
    compiler = next(row.compiler for row in ROWS if row.target == target)
    if compiler_of(part) != compiler:
        pytest.skip(f"recorded with {compiler}")
    return {row.layer: row for row in found}


def test_recorded_set(tmp_path: Path) -> None:
    """All layers in the images that were recorded."""
    found = measured("nrf52840", list(LAYERS), tmp_path)
    assert list(found.values()) == [row for row in RECORDED if row.target == "nrf52840"]


@pytest.mark.parametrize("target", TARGETS[1:])
def test_recorded_layers(target: str, tmp_path: Path) -> None:
    """Some on each of the other targets, in another image: a call from elsewhere may be longer."""
    first = TARGETS.index(target)
    found = measured(target, list(LAYERS)[first :: len(TARGETS)], tmp_path)
    recorded = by_layer(RECORDED)
    for name, row in found.items():
        old = recorded[target, name]
        assert math.isclose(row.count, old.count, rel_tol=0.01)
        assert math.isclose(row.estimated_cycles or 0, old.estimated_cycles or 0, rel_tol=0.01)
        assert replace(row, count=0, estimated_cycles=0) == replace(
            old, count=0, estimated_cycles=0
        )


def test_weights_beyond_64_kb_of_their_own(tmp_path: Path) -> None:
    """On AVR an address of which the compiler knew 16 bits went on for ever."""
    assert measured("atmega1284p", ["dense_640x128"], tmp_path)


def test_every_layer_is_recorded() -> None:
    """On every target, today and in the release."""
    places = {(target, layer) for target in TARGETS for layer in LAYERS}
    assert set(by_layer(RECORDED)) == places
    assert all(row.count > 0 and (row.macs or row.values) for row in RECORDED)


def test_release() -> None:
    """The file is what is read from it."""
    text = RELEASE.read_text("utf-8")
    release = release_of(text)
    assert release_json(release) == text
    assert release.matrix
    assert release.layers


def test_multiples() -> None:
    """Of the release's figures and of TFLM's; empty where there are none."""
    (pair,) = zoo_rows([SMALL], BEFORE, THEIRS)
    assert [pair[f"{figure} of release"] for figure in ("flash", "RAM", "count")] == [
        *("0.90", "0.90", "0.50")
    ]
    assert [pair[f"{figure} of TFLM"] for figure in ("flash", "RAM", "count")] == [
        *("0.50", "0.50", "0.25")
    ]
    (other,) = zoo_rows([replace(SMALL, model="ad")], BEFORE, THEIRS)
    assert {other["flash of release"], other["flash of TFLM"]} == {""}
    (outside,) = zoo_rows([replace(SMALL, external_bytes=1)], BEFORE, THEIRS)
    assert outside["flash of TFLM"] == ""
    assert zoo_rows([replace(SMALL, flash_bytes=None)], BEFORE, THEIRS) == []
    assert ratio(1, None) == ratio(None, 1) == ""


def test_layers_beside_the_release() -> None:
    """For each value where there are no products; unchanged ones without a multiple."""
    (row,) = layer_rows([LAYER], BEFORE)
    assert (row["count of release"], row["flash of release"]) == ("0.75", "0.50")
    assert layer_table([LAYER], BEFORE) == [{"layer": "add", "nrf52840": "3.00 (0.75)"}]
    dense = replace(LAYER, layer="dense", macs=150)
    assert layer_table([dense], BEFORE) == [{"layer": "dense", "nrf52840": "2.00"}]
    assert layer_table(list(BEFORE.layers), BEFORE)[0]["nrf52840"] == "4.00"


def test_means() -> None:
    """Geometric ones: twice as quick and twice as slow is neither."""
    slow = replace(SMALL, model="ad", instructions=2000)
    release = replace(BEFORE, matrix=[*BEFORE.matrix, replace(slow, instructions=1000)])
    assert list(means([SMALL, slow], [LAYER], release)) == [
        {"target": "nrf52840", "models": "1.00", "benchmark set": "0.75"}
    ]
    assert list(means([replace(SMALL, instructions=None)], [], release)) == []


def test_text() -> None:
    """Three tables; without the set there are two."""
    text = bench_text([SMALL], [LAYER], BEFORE, THEIRS)
    assert re.findall(r"^[a-z].*", text, re.M)[0] == "models"
    assert "\nbenchmark set\n" in text
    assert "of the release 0.0.1" in text
    assert "\nbenchmark set\n" not in bench_text([SMALL], [], BEFORE, THEIRS)
