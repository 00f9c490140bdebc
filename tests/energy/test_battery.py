"""How long a battery lasts, by hand-computed figures, and what the command says of it."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.frontends.builds import SINE
from tests.support.hand_written import target_or_skip
from tinyml_rules.cli import main
from tinyml_rules.errors import UsageError
from tinyml_rules.reporting.battery import Use, battery_life, life_lines
from tinyml_rules.reporting.firmware import Run
from tinyml_rules.target.equipment import Power
from tinyml_rules.target.target import Target, load_target

RUN = Run(cycles=640_000, invoke_stack_measured_bytes=0, milliseconds=10.0)
CURRENTS = Power(3.0, 5.0, "data sheet", 2.0, "data sheet")


@pytest.fixture
def part() -> Target:
    """5 mA active, 2 microamperes asleep."""
    return replace(load_target("nrf52840"), power=CURRENTS)


def test_days(part: Target) -> None:
    """10 ms of each second at 5 mA are 50 microamperes, 990 ms at 2 are 1.98: 51.98 on average, so
    that 225 mAh last 4,328.6 hours."""
    use = Use(every_seconds=1, battery_mah=225)
    life = battery_life(RUN, part, use)
    assert life.duty == pytest.approx(0.01)
    assert life.average_ua == pytest.approx(51.98)
    assert life.days == pytest.approx(225_000 / 51.98 / 24)
    assert life_lines(life, use)[0] == (
        "  battery    225 mAh: ~180 days of 86,400 inferences, ~52.0 µA on average"
    )


def test_estimates_count_where_nothing_else_does(part: Target) -> None:
    """Time of estimated cycles."""
    run = replace(RUN, cycles=None, instructions=1, milliseconds=None, estimated_milliseconds=500)
    assert battery_life(run, part, Use(1, 225)).duty == 0.5
    assert battery_life(run, part, Use(0.5, 225)).average_ua == 5000


def test_no_time_for_it(part: Target) -> None:
    with pytest.raises(UsageError, match=r"an inference takes .* ms, longer than --every"):
        battery_life(RUN, part, Use(0.009, 225))
    with pytest.raises(UsageError, match="nothing counts cycles"):
        battery_life(None, part, Use(1, 225))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--every=1s",), "run: error: --battery and --every need each other\n"),
        (
            ("--every=1", "--battery=225mAh"),
            "every: error: found '1', expected a time such as 1s\n",
        ),
        (
            ("--every=1s", "--battery=0mAh"),
            "battery: error: found '0mAh', expected a charge such as 225mAh\n",
        ),
        (
            ("--every=1s", "--battery=2Ah", "--target=atsamv71"),
            "atsamv71: error: its target.toml has no [power], expected the currents of its data "
            "sheet\n  hint: docs/how-to/battery.md has the formula\n",
        ),
        (
            ("--every=1s", "--battery=2Ah", "--target=samd21"),
            "samd21: error: its [power] has no 'sleep_ua', expected the current of its data "
            "sheet\n  hint: docs/how-to/battery.md has the formula\n",
        ),
    ],
)
def test_mistakes(
    words: tuple[str, ...], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All before anything is built."""
    shutil.copy2(SINE / "sine.tflite", tmp_path)
    model = str(tmp_path / "sine.tflite")
    assert main(["run", model, "--target=nrf52840", *words]) == 2
    assert capsys.readouterr().err == told


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Next to the report: 4,535 cycles at 20 MHz each 10 minutes vanish in the sleep of 4.2
    microamperes."""
    target_or_skip("atmega328")
    shutil.copy2(SINE / "sine.tflite", tmp_path)
    model = str(tmp_path / "sine.tflite")
    words = ["--target=atmega328", "--optimize=layers", "--every=10min", "--battery=2Ah", "--json"]
    assert main(["run", model, *words]) == 0
    found = json.loads(capsys.readouterr().out)
    seconds = found["cycles"] / 20_000_000
    average = (seconds * 13_000 + (600 - seconds) * 4.2) / 600
    assert found["battery"]["average_ua"] == pytest.approx(average)
    assert found["battery"]["days"] == pytest.approx(2_000_000 / average / 24)
