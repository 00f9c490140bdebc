"""Decisions over time in integers: what a description asks for, for the scale of an output.

With s = sum(q - least) of a value's last n results, where least is the least q of its type, their
mean m reaches a threshold t where scale * (m - zero_point) >= t, so where
s >= n * (zero_point + t / scale - least): the least such s is worked out for every n in exact
fractions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from tinyml_rules.arithmetic.exact_scale import ExactScale
from tinyml_rules.sensor.event import EventKeys


@dataclass(frozen=True)
class Member:
    """A member of the C struct that is kept from one result to the next; without a `count` it is a
    number that a reset sets to 0."""

    c_type: str
    name: str
    count: int | None = None

    @property
    def size_bytes(self) -> int:
        return (2 if self.c_type == "int16_t" else 1) * (1 if self.count is None else self.count)


@dataclass(frozen=True)
class Event:
    """An event of an output with `count` values.

    `least`: the least value of the output's type.  `on` and `off`: for each threshold, one for all
    values or one each, the least sums of `minimum_count` to `window` results; where means are
    rounded down, the least mean alone.
    """

    keys: EventKeys
    count: int
    least: int
    reals: tuple[Fraction, ...]
    on: tuple[tuple[int, ...], ...]
    off: tuple[tuple[int, ...], ...]
    background: tuple[int, ...]

    @property
    def most_results(self) -> int:
        """From where on results need not be counted."""
        return max(self.keys.window, self.keys.votes[1], self.keys.warm_up + 1)

    @property
    def members(self) -> Iterator[Member]:
        """Those of the struct, wide ones first."""
        keys, voters = self.keys, self.keys.votes[1]
        yield Member("int16_t", "results")
        yield Member("int16_t", "last")
        if keys.off_thresholds:
            yield Member("int16_t", "level")
        if keys.refractory:
            yield Member("int16_t", "quiet")
        if keys.suppression:
            yield Member("int16_t", "suppressed")
        if voters > 1:
            yield Member("int16_t", "levels", voters)
            yield Member("uint8_t", "place")
        if keys.window > 1:
            yield Member("uint8_t", "slot")
            yield Member("int8_t" if self.least else "uint8_t", "scores", keys.window * self.count)

    @property
    def size_bytes(self) -> int:
        """Of the struct, as a multiple of 4."""
        return -(-sum(each.size_bytes for each in self.members) // 4) * 4


def event_of(
    scale: ExactScale,
    keys: EventKeys,
    reals: tuple[Fraction, ...],
    count: int,
    labels: tuple[str, ...],
) -> Event:
    """For `count` values of a scale and their thresholds."""
    return Event(
        keys,
        count,
        scale.limits[0],
        reals,
        tuple(_least(scale, keys, real) for real in reals),
        tuple(_least(scale, keys, real) for real in keys.off_thresholds),
        tuple(labels.index(each) for each in keys.background),
    )


def _least(scale: ExactScale, keys: EventKeys, real: Fraction) -> tuple[int, ...]:
    value = scale.zero_point + real / scale.scale - scale.limits[0]
    counts = (1,) if keys.rounds_down else range(keys.minimum_count, keys.window + 1)
    return tuple(-(-count * value // 1) for count in counts)
