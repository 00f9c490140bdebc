"""`head = "event"` of a description: what decides over time that a class was just recognised."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tinyml_rules.errors import UsageError
from tinyml_rules.sensor.key import Free, Key, Real, Reals, Truth, Whole
from tinyml_rules.sensor.table import Table

MOST_RESULTS = 255
"""The most results of a window or of votes: their sum, each from 0 to 255, is a uint16_t."""
MOST_WAITED = 2**15 - 2
"""The most results that are waited for: one more is an int16_t."""
_WINDOW = Whole("window", "results whose mean is compared", least=1, most=MOST_RESULTS, default=1)
_MINIMUM_COUNT = Whole(
    "minimum_count",
    "results of the window that have to be there; without it all",
    3,
    least=1,
    most=MOST_RESULTS,
)
_ROUND_DOWN = Truth("round_down", "the mean is rounded down, as in whole numbers")
_OFF_THRESHOLD = Reals(
    "off_threshold", "the mean below which a class ends; one, or one for each class", 0.3
)
_DEBOUNCE = Whole(
    "debounce",
    "results one after the other that have to reach the threshold",
    least=1,
    most=MOST_RESULTS,
    default=1,
)
_VOTES = Free(
    "votes",
    "[n, m]: n of the last m results have to reach the threshold",
    [2, 3],
    form={
        "type": "array",
        "items": {"type": "integer", "minimum": 1, "maximum": MOST_RESULTS},
        "minItems": 2,
        "maxItems": 2,
    },
)
_REFRACTORY = Whole(
    "refractory", "results after an event in which none follows", most=MOST_WAITED, default=0
)
_REFRACTORY_MS = Real("refractory_ms", "the same, in milliseconds of `period_ms` a result")
_SUPPRESSION = Whole(
    "suppression",
    "results after an event in which the same class is none; without it until the class ends",
    10,
    most=MOST_WAITED,
)
_SUPPRESSION_MS = Real("suppression_ms", "the same, in milliseconds of `period_ms` a result")
_PERIOD_MS = Real(
    "period_ms",
    "milliseconds from one result to the next",
    20,
    above=0,
    words="a number above 0",
)
_WARM_UP = Whole(
    "warm_up", "results after the start in which there is no event", most=MOST_WAITED, default=0
)
_RESTART = Truth("restart", "an event empties the window")
_BACKGROUND = Free(
    "background",
    "labels that are no event, such as silence",
    ["silence", "unknown"],
    form={"type": "array", "items": {"type": "string"}, "minItems": 1},
)
EVENT_KEYS: tuple[Key, ...] = (
    *(_WINDOW, _MINIMUM_COUNT, _ROUND_DOWN, _OFF_THRESHOLD, _DEBOUNCE, _VOTES),
    *(_REFRACTORY, _REFRACTORY_MS, _SUPPRESSION, _SUPPRESSION_MS),
    *(_PERIOD_MS, _WARM_UP, _RESTART, _BACKGROUND),
)
EXCLUSIVE = (
    ("debounce", "votes"),
    ("refractory", "refractory_ms"),
    ("suppression", "suppression_ms"),
)
"""Keys of which a table has at most one."""
TIMES = ("refractory_ms", "suppression_ms")
"""Keys that need `period_ms`, which nothing else uses."""


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
    window = _WINDOW.of(table)
    _check_period(table)
    for keys in EXCLUSIVE:
        table.check_one(*keys)
    return EventKeys(
        window=window,
        minimum_count=_MINIMUM_COUNT.of(table, default=window, most=window),
        rounds_down=_ROUND_DOWN.of(table),
        off_thresholds=_OFF_THRESHOLD.given(table),
        votes=_votes(table),
        refractory=_waited(table, _REFRACTORY, _REFRACTORY_MS) or 0,
        suppression=_waited(table, _SUPPRESSION, _SUPPRESSION_MS),
        warm_up=_WARM_UP.of(table),
        restarts=_RESTART.of(table),
        background=_background(table, labels),
    )


def _votes(table: Table) -> tuple[int, int]:
    if not _VOTES.is_in(table):
        count = _DEBOUNCE.of(table)
        return count, count
    found = table.values["votes"]
    is_pair = isinstance(found, list) and [type(each) for each in found] == [int, int]
    if not is_pair or not 1 <= found[0] <= found[1] <= MOST_RESULTS:
        table.refuse("votes", f"[n, m]: two whole numbers, 1 <= n <= m <= {MOST_RESULTS}")
    return found[0], found[1]


def _waited(table: Table, key: Whole, in_ms: Real) -> int | None:
    """In results, of milliseconds those that are not later; None where nothing is said."""
    if not in_ms.is_in(table):
        return key.given(table)
    period, waited = _PERIOD_MS.of(table), in_ms.of(table)
    if not 0 <= waited / period <= MOST_WAITED:
        table.refuse(in_ms.name, f"a time of 0 to {MOST_WAITED} results")
    return int(waited / period)


def _check_period(table: Table) -> None:
    """It is there where times are, it is above 0, and nowhere else is it used."""
    used = [key for key in TIMES if key in table.values]
    if used and not _PERIOD_MS.is_in(table):
        raise UsageError.at(table.where, f"no 'period_ms', which '{used[0]}' needs")
    if not used and _PERIOD_MS.is_in(table):
        what = "'period_ms' is for 'refractory_ms' and 'suppression_ms' alone"
        raise UsageError.at(table.where, what)
    if used:
        _PERIOD_MS.of(table)


def _background(table: Table, labels: tuple[str, ...]) -> tuple[str, ...]:
    """Some of the labels, but not all."""
    found = table.values.get("background", [])
    known = isinstance(found, list) and all(each in labels for each in found)
    if not known or ("background" in table.values and not 0 < len({*found}) < len(labels)):
        table.refuse("background", "a list of some of the labels")
    return tuple(found)
