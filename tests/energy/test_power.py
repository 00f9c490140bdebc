"""Currents of a target.toml and the energy of an inference, by hand-computed figures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.target.test_target import FAMILY, MEMBER, error_of, write_targets
from tinyml_rules.reporting.energy import microjoules_text
from tinyml_rules.reporting.sizes import three_digits
from tinyml_rules.target.equipment import Power
from tinyml_rules.target.target import load_target, target_names

FULL = """
[power]
volts = 3.0
active_ma = 8
clock_hz = 4_000_000
source = "data sheet X rev 2, table 3"
sleep_ua = 1.5
sleep_source = "table 4"
"""


def test_a_current_of_another_clock(tmp_path: Path) -> None:
    """8 mA at 4 MHz are 2 mA at the target's 1 MHz: 6 mW, so that 5 ms take 30 microjoules."""
    search = write_targets(tmp_path, family=FAMILY, member=MEMBER + FULL)
    power = load_target("member", search=search).power
    assert power == Power(3.0, 2.0, "data sheet X rev 2, table 3", 1.5, "table 4")
    assert power.active_mw == 6.0
    assert power.microjoules(5) == 30.0


def test_at_the_targets_clock(tmp_path: Path) -> None:
    """Without a clock, and without a sleep."""
    lines = [line for line in FULL.splitlines() if "sleep" not in line and "clock" not in line]
    search = write_targets(tmp_path, family=FAMILY, member="\n".join([MEMBER, *lines]))
    power = load_target("member", search=search).power
    assert power == Power(3.0, 8.0, "data sheet X rev 2, table 3")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("volts = 3.0", "", "missing 'power.volts'"),
        ('source = "data sheet X rev 2, table 3"', "", "missing 'power.source'"),
        ('sleep_source = "table 4"', "", "missing 'power.sleep_source'"),
        ("volts = 3.0", "volts = 0.0", "'power.volts' is 0.0, expected a number above 0"),
        ("active_ma = 8", "active_ma = -1", "'power.active_ma' is -1, expected a number"),
        ("sleep_ua = 1.5", "sleep_ua = nan", "'power.sleep_ua' is nan, expected a number"),
        ("volts = 3.0", "volts = inf", "'power.volts' is inf, expected a number above 0"),
        ("volts = 3.0", 'volts = "3"', "'power.volts' is '3', expected a number"),
        ("active_ma = 8", "active_mw = 8", "unknown key 'power.active_mw'"),
    ],
)
def test_mistakes(old: str, new: str, told: str, tmp_path: Path) -> None:
    """Each names the key."""
    assert told in error_of(tmp_path, MEMBER + FULL.replace(old, new))


WHERE = re.compile(r"table [0-9]+-?[0-9]*\b|section [A-Z0-9]|https?://")
AGAIN = re.compile(r"^(typical, )?the same (table|section)\b")
"""Of a sleep: the place that the other source names."""


def test_the_projects_own() -> None:
    """Every figure names its table, section or page; a sleep draws less than the active part by
    far."""
    known = {name: load_target(name).power for name in target_names()}
    powers = {name: power for name, power in known.items() if power is not None}
    assert {"atmega328", "nrf52840", "esp32", "stm32f411"} <= set(powers)
    for name, power in powers.items():
        assert len(power.source) > 30 and WHERE.search(power.source), name
        sleep = power.sleep_source
        assert bool(sleep) == (power.sleep_ua is not None), name
        assert not sleep or WHERE.search(sleep) or AGAIN.match(sleep), name
        assert power.sleep_ua is None or power.sleep_ua < 100 * power.active_ma, name
        assert 1.8 <= power.volts <= 5, name


def test_atmega328() -> None:
    """5.2 mA at 8 MHz and 5 V are 13 mA at 20 MHz, or 3.25 nJ a cycle."""
    power = load_target("atmega328").power
    assert power is not None
    assert (power.active_ma, power.active_mw) == (13.0, 65.0)
    assert power.microjoules(1000 * 1000 / 20_000_000) == 3.25


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.06175, "0.0617"),
        (9.996, "10.0"),
        (14.73875, "14.7"),
        (806.9, "807"),
        (11799.38825, "11,800"),
        (0.0000123456, "0.0000123"),
        (-0.5, "-0.500"),
    ],
)
def test_three_digits(value: float, text: str) -> None:
    assert three_digits(value) == text
    assert microjoules_text(value) == f"{text} µJ"
