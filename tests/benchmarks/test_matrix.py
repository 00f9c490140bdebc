"""Every model on every target: exact, as large and as quick as written down, or too large."""

from __future__ import annotations

import re

import numpy as np
import pytest

from benchmarks.matrix import Result, Row, compiler_of
from benchmarks.results import markdown_text, rows_of
from generate.pages import generated_pages
from models.zoo import matrix_models
from tests.benchmarks.conftest import Matrix
from tests.conftest import MODELS_FOLDER
from tests.support.available import available_targets
from tests.support.hand_written import target_or_skip
from tinyml_rules.target.missing import missing_tools
from tinyml_rules.target.parts import own_targets
from tinyml_rules.target.target import load_target

TABLES = ("sine",)
"""Models that become a table, and so have a row with their layers as well."""
LAYERS = " as layers"
"""Behind the model's name: that row."""
MODELS = [
    name
    for model in matrix_models(MODELS_FOLDER)
    for name in ((model, f"{model}{LAYERS}") if model in TABLES else (model,))
]
PAIRS = [(target, model) for target in available_targets() for model in MODELS]
"""The rows with figures: a target whose tools only a vendor has may be without."""
RESULTS = MODELS_FOLDER / "results.json"

STACK_MARGIN_BYTES = 16
"""No bound of a stack is further from what was measured."""
UNWRITTEN_BYTES = {
    ("xtensa_lx6", "sine"): 32,
    **{
        (part, "person_detect"): 32
        for part in ("atsamv71", "mps2_an505", "nrf52840", "rp2350", "stm32f405")
    },
    ("esp8266", "speech"): 32,
    **{("xtensa_lx6", model): 56 for model in ("kws", "person_detect", "speech")},
}
"""Of a function that calls none: its frame there is room for registers that stay in a window; of
others the end of what values are gathered in, where a layer needs less than the largest does."""

BARS = [
    ("sine", "atmega328", "flash_bytes", 700),
    ("sine", "atmega328", "ram_bytes", 200),
    ("sine", "atmega328", "cycles", 60),
    ("sine as layers", "atmega328", "flash_bytes", 1_700),
    ("sine as layers", "atmega328", "ram_bytes", 200),
    ("sine as layers", "atmega328", "cycles", 6_000),
    ("speech", "atmega328", "cycles", 4_200_000),
    ("speech", "atmega1284p", "cycles", 3_700_000),
    ("kws", "atmega1284p", "cycles", 29_000_000),
    ("sine as layers", "nrf52840", "instructions", 750),
    ("speech", "nrf52840", "instructions", 520_000),
    ("kws", "nrf52840", "instructions", 3_600_000),
    ("ad", "nrf52840", "instructions", 290_000),
    ("person_detect", "nrf52840", "instructions", 9_800_000),
    ("sine as layers", "mps3_an547", "instructions", 650),
    ("speech", "mps3_an547", "instructions", 140_000),
    ("kws", "mps3_an547", "instructions", 1_300_000),
    ("ad", "mps3_an547", "instructions", 63_000),
    ("person_detect", "mps3_an547", "instructions", 3_900_000),
    ("speech", "nrf52840", "flash_bytes", 26_000),
    ("speech", "nrf52840", "ram_bytes", 7_000),
    ("person_detect", "nrf52840", "flash_bytes", 245_000),
    ("person_detect", "nrf52840", "ram_bytes", 58_000),
]
"""The most that a minimal firmware and an inference may take: model, target, figure, bound."""

NEEDED = {
    ("atmega328", "ad"): "weights=external",
    ("atmega328", "speech"): "push_rows",
    ("nrf51", "person_detect"): "",
    ("nrf52840", "person_detect"): "",
}
"""The settings with which a model fits: the first that do."""

SHORTAGE = re.compile(r"needs (?:at least )?([\d,]+) B of (flash|RAM), has ([\d,]+) B")


def row_of(matrix: Matrix, target: str, model: str) -> Row:
    """The row of a pair; a skip where the target's tools are missing."""
    target_or_skip(target)
    (row,) = (each for each in matrix.rows if (each.target, name_of(each)) == (target, model))
    return row


def name_of(row: Row) -> str:
    """The model's, and whether it is the row of its layers."""
    return f"{row.model}{LAYERS}" if "optimize=layers" in row.settings.split() else row.model


def test_every_pair_has_a_row(matrix: Matrix) -> None:
    """In order; the command ends well; a target without its tools is there as well."""
    assert (matrix.status, matrix.errors) == (0, "")
    assert [(row.target, name_of(row)) for row in matrix.rows] == [
        (target, model)
        for target in own_targets()
        for model in (MODELS if target in available_targets() else matrix_models(MODELS_FOLDER))
    ]
    for row in matrix.rows:
        missing = missing_tools(load_target(row.target))
        assert (row.result is Result.MISSING_TOOLS) == bool(missing)
        if missing:
            assert row.detail == ", ".join(tool.program for tool in missing)


def test_progress(matrix: Matrix) -> None:
    """A line for each row with the number of its pair, then the table."""
    count = len(own_targets()) * len(matrix_models(MODELS_FOLDER))
    lines = re.findall(
        rf"^\[ *(\d+)/{count}\] (\w+) on (\w+)(?: \([\w= ]+\))?: ", matrix.output, re.M
    )
    numbers = [int(number) for number, *_ in lines]
    assert numbers == sorted(numbers)
    assert set(numbers) == set(range(1, count + 1))
    assert sorted((target, model) for _, model, target in lines) == sorted(
        (row.target, row.model) for row in matrix.rows
    )
    assert matrix.output.endswith(f"\n\n{matrix.text('build/matrix.txt')}")
    assert len(matrix.text("build/matrix.txt").splitlines()) == 1 + len(matrix.rows)
    assert matrix.text("build/matrix.md") == markdown_text(matrix.rows)


@pytest.mark.parametrize(("target", "model"), PAIRS)
def test_exact_or_too_large(target: str, model: str, matrix: Matrix) -> None:
    """All recorded vectors, byte for byte; or figures that are indeed more than the part has."""
    row = row_of(matrix, target, model)
    memory = load_target(target).memory
    if row.result is Result.EXACT:
        with np.load(MODELS_FOLDER / row.model / "vectors.npz", allow_pickle=False) as vectors:
            assert {row.samples} == {len(values) for values in vectors.values()}
        assert row.flash_bytes
        assert row.ram_bytes
        assert memory is None or row.flash_bytes <= memory.flash.bytes
        assert memory is None or row.ram_bytes <= memory.ram.bytes
        return
    assert row.result is Result.DOES_NOT_FIT, row.detail
    assert memory
    available = {"flash": memory.flash.bytes, "RAM": memory.ram.bytes}
    shortages = SHORTAGE.findall(row.detail)
    assert shortages
    for needed, region, has in shortages:
        assert int(has.replace(",", "")) == available[region] < int(needed.replace(",", ""))


def test_most_pairs_fit(matrix: Matrix) -> None:
    """And some do not, so that both kinds of rows are looked at."""
    results = [row.result for row in matrix.rows]
    assert results.count(Result.EXACT) > len(results) / 2
    target_or_skip("atmega328")
    assert results.count(Result.DOES_NOT_FIT) > 0


@pytest.mark.parametrize(("target", "model"), PAIRS)
def test_stack(target: str, model: str, matrix: Matrix) -> None:
    """No inference goes deeper than the bound, which is close."""
    row = row_of(matrix, target, model)
    if row.invoke_stack_measured_bytes is None:
        reads_otherwise = row.external_bytes and not load_target(target).file("weights.c")
        assert row.result is Result.DOES_NOT_FIT or target == "host" or reads_otherwise
        return
    assert row.invoke_stack_bytes is not None
    above = row.invoke_stack_bytes - row.invoke_stack_measured_bytes
    assert 0 <= above <= UNWRITTEN_BYTES.get((target, model), STACK_MARGIN_BYTES)


@pytest.mark.parametrize(("target", "model"), PAIRS)
def test_time(target: str, model: str, matrix: Matrix) -> None:
    """Cycles, estimated ones or instructions, at the part's clock, and the energy where its power
    is known."""
    row, part = row_of(matrix, target, model), load_target(target)
    counts = [count for count in (row.cycles, row.instructions) if count is not None]
    if row.milliseconds is None:
        assert row.result is Result.DOES_NOT_FIT or target == "host"
        assert (counts, row.milliseconds, row.microjoules) == ([], None, None)
        return
    (most,) = counts
    assert part.clock_hz
    assert (row.estimated_cycles is None) == (part.cycles is None)
    if part.cycles is not None and row.estimated_cycles is not None:
        assert most < row.estimated_cycles * part.cycles.issue_width < 3 * most
        most = row.estimated_cycles
    assert row.milliseconds == round(1000 * most / part.clock_hz, 8)
    assert (row.microjoules is None) == (part.power is None)
    if part.power is not None:
        assert row.microjoules == round(part.power.active_mw * row.milliseconds, 8)


@pytest.mark.parametrize(("target", "model"), NEEDED)
def test_settings(target: str, model: str, matrix: Matrix) -> None:
    """What a user would try, and no more of it than is needed."""
    row = row_of(matrix, target, model)
    assert (row.result, row.settings) == (Result.EXACT, NEEDED[target, model])


@pytest.mark.parametrize(("model", "target", "figure", "bound"), BARS)
def test_bar(model: str, target: str, figure: str, bound: int, matrix: Matrix) -> None:
    """The firmware stays as small, and the sine as quick, as it was promised."""
    assert 0 < getattr(row_of(matrix, target, model), figure) <= bound


@pytest.mark.parametrize("target", available_targets())
def test_recorded_results(target: str, matrix: Matrix) -> None:
    """models/results.json holds what comes out today: all figures, with the same compiler."""
    recorded = [row for row in rows_of(RESULTS.read_text("utf-8")) if row.target == target]
    assert [(row.target, name_of(row)) for row in recorded] == [
        pair for pair in PAIRS if pair[0] == target
    ]
    compiler = compiler_of(target_or_skip(target))
    if any(row.compiler != compiler for row in recorded):
        pytest.skip(f"recorded with {recorded[0].compiler}, here is {compiler}")
    assert [row for row in matrix.rows if row.target == target] == recorded


def test_docs_yes(matrix: Matrix) -> None:
    """It writes models/results.json, and the pages that are made from it."""
    assert matrix.text("models/results.json") == matrix.text("build/matrix.json")
    for name, text in generated_pages(matrix.folder).items():
        assert matrix.text(name) == text, name
    assert markdown_text(matrix.rows) in matrix.text("docs/reference/results.md")
