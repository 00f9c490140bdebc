"""How long a battery lasts for a processor that computes, sleeps, and computes again.

By charge: what flows while it computes, and in the sleep until the next inference.
"""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.errors import UsageError
from tinyml_rules.reporting.firmware import Run
from tinyml_rules.reporting.sizes import three_digits
from tinyml_rules.target.target import Target

_SECONDS_A_DAY = 86_400
_HOURS_A_DAY = 24


@dataclass(frozen=True)
class Use:
    """An inference every so many seconds, from a battery of so many mAh."""

    every_seconds: float
    battery_mah: float


@dataclass(frozen=True)
class Life:
    """Of a battery: the share of the time in which the processor computes, its average current in
    microamperes, and how many days that is."""

    duty: float
    average_ua: float
    days: float


def require_currents(target: Target) -> None:
    """Raise UsageError for a target whose currents are not known."""
    hint = "docs/how-to/battery.md has the formula"
    if target.power is None:
        what = "its target.toml has no [power], expected the currents of its data sheet"
        raise UsageError.at(target.name, what, hint=hint)
    if target.power.sleep_ua is None:
        what = "its [power] has no 'sleep_ua', expected the current of its data sheet"
        raise UsageError.at(target.name, what, hint=hint)


def battery_life(run: Run | None, target: Target, use: Use) -> Life:
    """Of the slowest inference of a run.  Raises UsageError where one is not over before the next,
    and where the time or a current is not known."""
    require_currents(target)
    power, time = target.power, None
    if run is not None:
        time = run.estimated_milliseconds if run.milliseconds is None else run.milliseconds
    if time is None or power is None or power.sleep_ua is None:
        raise UsageError.at(target.name, "nothing counts cycles or estimates them for it")
    duty = time / 1000 / use.every_seconds
    if duty > 1:
        what = f"an inference takes {three_digits(time)} ms, longer than --every"
        raise UsageError.at(target.name, what)
    average_ua = duty * 1000 * power.active_ma + (1 - duty) * power.sleep_ua
    return Life(duty, average_ua, 1000 * use.battery_mah / average_ua / _HOURS_A_DAY)


def life_lines(life: Life, use: Use) -> list[str]:
    """What a person reads."""
    count = _SECONDS_A_DAY / use.every_seconds
    return [
        f"  battery    {use.battery_mah:,.12g} mAh: ~{three_digits(life.days)} days of "
        f"{three_digits(count)} inferences, ~{three_digits(life.average_ua)} µA on average",
        f"             computing {three_digits(100 * life.duty)} % of the time; the processor "
        "alone, by typical currents of its data sheet",
    ]
