"""docs/how-to/battery.md, followed in a folder with its model."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.conftest import ZooModel
from tests.docs.pages import DOCS, read_page
from tests.docs.steps import follow, hold
from tests.support.hand_written import target_or_skip
from tinyml_rules.target.target import load_target, target_names

PAGE = "how-to/battery.md"


def test_page(tmp_path: Path, zoo_model: ZooModel, request: pytest.FixtureRequest) -> None:
    """Its commands print what it shows."""
    target_or_skip("nrf52840")
    shutil.copy2(zoo_model("kws"), tmp_path / "kws.tflite")
    page = read_page(PAGE)
    hold(DOCS / PAGE, page, follow(page, tmp_path), request)


def test_formula() -> None:
    """The worked example is what the command printed, from the figures of the target."""
    page = read_page(PAGE)
    milliseconds = float(re.findall(r"~([\d.]+) ms, ", page)[0])
    days, average = re.findall(r"~([\d,.]+) days of .*?~([\d,.]+) µA", page)[0]
    power = load_target("nrf52840").power
    assert power is not None
    assert power.sleep_ua is not None
    duty = milliseconds / 1000
    assert f"{1000 * duty * power.active_ma + (1 - duty) * power.sleep_ua:.0f}" == average
    assert abs(225_000 / float(days) / 24 - float(average)) < 1  # both are rounded


def test_table_of_currents() -> None:
    """It has every target with [power], in its words."""
    page = read_page(PAGE)
    for name in target_names():
        power = load_target(name).power
        assert (power is not None) == (f"| {name} | " in page), name
