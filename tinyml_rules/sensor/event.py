"""`head = "event"` of a description: what decides over time that a class was just recognised."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tinyml_rules.errors import UsageError
from tinyml_rules.sensor.table import Table

MOST_RESULTS = 255
"""The most results of a window or of votes: their sum, each from 0 to 255, is a uint16_t."""
MOST_WAITED = 2**15 - 2
"""The most results that are waited for: one more is an int16_t."""
EVENT_KEYS = (
    "window",
    "minimum_count",
    "round_down",
    "off_threshold",
    "debounce",
    "votes",
    "refractory",
    "refractory_ms",
    "suppression",
    "suppression_ms",
    "period_ms",
    "warm_up",
    "restart",
    "background",
)


@dataclass(frozen=True)
class EventKeys:
    """Counts are of results.  `votes`: (n, m), n of the last m results; `suppression` is None where
    a class has to end before its next event."""

    window: int
    minimum_count: int
    rounds_down: bool
    off_thresholds: tuple[Fraction, ...]
    votes: tuple[int, int]
    refractory: int
    suppression: int | None
    warm_up: int
    restarts: bool
    background: tuple[str, ...]


def read_event(table: Table, labels: tuple[str, ...]) -> EventKeys:
    """The keys of the head; raises UsageError."""
    window = table.integer("window", 1, least=1, most=MOST_RESULTS)
    _check_period(table)
    return EventKeys(
        window=window,
        minimum_count=table.integer("minimum_count", window, least=1, most=window),
        rounds_down=table.truth("round_down"),
        off_thresholds=table.numbers("off_threshold", 0) if "off_threshold" in table.values else (),
        votes=_votes(table),
        refractory=_waited(table, "refractory") or 0,
        suppression=_waited(table, "suppression"),
        warm_up=table.integer("warm_up", 0, least=0, most=MOST_WAITED),
        restarts=table.truth("restart"),
        background=_background(table, labels),
    )


def _votes(table: Table) -> tuple[int, int]:
    if "votes" not in table.values:
        count = table.integer("debounce", 1, least=1, most=MOST_RESULTS)
        return count, count
    table.check_one("debounce", "votes")
    found = table.values["votes"]
    is_pair = isinstance(found, list) and [type(each) for each in found] == [int, int]
    if not is_pair or not 1 <= found[0] <= found[1] <= MOST_RESULTS:
        table.refuse("votes", f"[n, m]: two whole numbers, 1 <= n <= m <= {MOST_RESULTS}")
    return found[0], found[1]


def _waited(table: Table, key: str) -> int | None:
    """In results, of milliseconds those that are not later; None where nothing is said."""
    in_ms = f"{key}_ms"
    if in_ms not in table.values:
        if key not in table.values:
            return None
        return table.integer(key, 0, least=0, most=MOST_WAITED)
    table.check_one(key, in_ms)
    period, waited = table.number("period_ms", 1), table.number(in_ms, 0)
    if not 0 <= waited / period <= MOST_WAITED:
        table.refuse(in_ms, f"a time of 0 to {MOST_WAITED} results")
    return int(waited / period)


def _check_period(table: Table) -> None:
    """It is there where times are, it is above 0, and nowhere else is it used."""
    used = [key for key in ("refractory_ms", "suppression_ms") if key in table.values]
    if used and "period_ms" not in table.values:
        raise UsageError.at(table.where, f"no 'period_ms', which '{used[0]}' needs")
    if not used and "period_ms" in table.values:
        what = "'period_ms' is for 'refractory_ms' and 'suppression_ms' alone"
        raise UsageError.at(table.where, what)
    if used and table.number("period_ms", 1) <= 0:
        table.refuse("period_ms", "a number above 0")


def _background(table: Table, labels: tuple[str, ...]) -> tuple[str, ...]:
    """Some of the labels, but not all."""
    found = table.values.get("background", [])
    known = isinstance(found, list) and all(each in labels for each in found)
    if not known or ("background" in table.values and not 0 < len({*found}) < len(labels)):
        table.refuse("background", "a list of some of the labels")
    return tuple(found)
