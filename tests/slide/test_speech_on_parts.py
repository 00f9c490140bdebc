"""speech as a window over a stream: exact, fast and small enough on the two parts of the bars."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import ZooModel
from tests.slide.streams import windows_of
from tests.support.hand_written import target_or_skip
from tests.support.tflm import tflm_outputs
from tinyml_rules.compiler import compile_model
from tinyml_rules.reporting.report import Report
from tinyml_rules.request.request import Request
from tinyml_rules.runners.model import run_on_arrays

ROWS, HOP, WINDOWS = 49, 2, 8


def report_of(name: str, part: str, zoo_model: ZooModel, folder: Path, *, hop: int) -> Report:
    """Of windows whose outputs are TFLM's."""
    model = zoo_model(name).read_bytes()
    target = target_or_skip(part)
    made = compile_model(Request(model, name, target, push_rows=True, slide=hop))
    port = made.interface.inputs[0]
    windows = windows_of(port.shape, ROWS, hop, WINDOWS)
    (truth,) = tflm_outputs(model, [windows])
    found = run_on_arrays(made, target, {port.tensor: windows}, where="windows", folder=folder)
    assert found.output == truth.tobytes()
    return found.report


def test_nrf52840(zoo_model: ZooModel, tmp_path: Path) -> None:
    run = report_of("speech", "nrf52840", zoo_model, tmp_path, hop=HOP).run
    assert run is not None and run.instructions is not None
    assert run.instructions_of_slowest_row is not None
    assert run.instructions <= 125_000
    assert run.instructions_of_slowest_row <= 70_000


def test_atmega328(zoo_model: ZooModel, tmp_path: Path) -> None:
    report = report_of("speech", "atmega328", zoo_model, tmp_path, hop=HOP)
    assert report.build is not None and report.build.ram_bytes <= 1_380
    assert report.run is not None and report.run.cycles is not None
    assert report.run.cycles <= 1_030_000


@pytest.mark.parametrize("hop", [10, 48])
def test_kws(hop: int, zoo_model: ZooModel, tmp_path: Path) -> None:
    """Nine layers with padding, each with edge rows of its own."""
    report_of("kws", "nrf52840", zoo_model, tmp_path, hop=hop)
