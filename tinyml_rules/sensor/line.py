"""A line of integers that equals an affine map with its rounding for every raw value.

clamp((raw * multiplier + offset) >> shift): a rounded multiplier is not always enough, so
multiplier and offset are searched.  For one multiplier the offsets that fit are an interval, from
the greatest of t * 2^shift - multiplier * raw to the least of (t + 1) * 2^shift - 1 - multiplier *
raw over all raw values of value t, where a clamped end binds on one side alone.  The interval's
width is concave in the multiplier: a least of linear functions, less a greatest of such.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tinyml_rules.sensor.affine import Runs, Values

MOST_SHIFT = 30
_MOST_SUM = 2**31 - 1
_WORD = 2**32
_WHOLE_WORD = 16
"""A shift that processors of 8 bits do by taking other bytes."""


@dataclass(frozen=True)
class Coefficients:
    """The coefficients of one channel."""

    multiplier: int
    offset: int


def line_of(
    channels: Sequence[Runs], limits: tuple[int, int], span: tuple[int, int]
) -> tuple[int, tuple[Coefficients, ...]] | None:
    """(shift, the coefficients of each channel) for the least shift that all of them have, or for
    16 where that is more and fits; None where there is no line.

    `limits`: of the quantized values; `span`: the raw values for which no sum may leave 32 bits.
    A product may, so that C has to compute with words that wrap unless `is_in_words`.
    """
    least = 0
    for runs in channels:
        while _coefficients(runs, limits, span, least) is None:
            least += 1
            if least > MOST_SHIFT:
                return None
    for shift in (max(least, _WHOLE_WORD), least):
        found = [_coefficients(runs, limits, span, shift) for runs in channels]
        fitting = tuple(each for each in found if each is not None)
        if len(fitting) == len(channels):
            return shift, fitting
    return None


def line_values(
    raw: Values, coefficients: Coefficients, shift: int, limits: tuple[int, int]
) -> Values:
    """The results of the line for raw values, in words of 32 bits that wrap."""
    sums = raw * coefficients.multiplier + coefficients.offset
    words = (sums + _WORD // 2) % _WORD - _WORD // 2
    found: Values = np.clip(words >> shift, *limits)
    return found


def is_in_words(coefficients: Coefficients, span: tuple[int, int]) -> bool:
    """Whether no product and no sum leaves int32 for the raw values of a span: each is linear in
    the raw value, so that those of the ends are the least and the greatest."""
    products = [raw * coefficients.multiplier for raw in span]
    sums = [product + coefficients.offset for product in products]
    return all(-_WORD // 2 <= each < _WORD // 2 for each in (*products, *sums))


def _coefficients(
    runs: Runs, limits: tuple[int, int], span: tuple[int, int], shift: int
) -> Coefficients | None:
    """The pair that fits one channel, with the offset in the middle of its interval; None where
    none does, or a sum leaves 32 bits."""
    bounds = Bounds.of_runs(runs, limits, shift)
    multiplier = bounds.best()
    lower, upper = bounds.interval(multiplier)
    if lower > upper:
        return None
    found = Coefficients(multiplier, (lower + upper) // 2)
    ends = [raw * found.multiplier + found.offset for raw in span]
    if max(map(abs, (*ends, found.multiplier, found.offset))) > _MOST_SUM:
        return None
    for raw in (runs.first, runs.last):
        assert np.array_equal(line_values(raw, found, shift, limits), runs.value)
    return found


class Bounds:
    """The interval of offsets as a function of the multiplier, from `least` to `most`: lines that
    are not below some values at some raw values, nor above others, pairs of arrays."""

    def __init__(
        self,
        lower: tuple[Values, Values],
        upper: tuple[Values, Values],
        multipliers: tuple[int, int],
    ) -> None:
        self.lower, self.upper = lower, upper
        self.least, self.most = multipliers

    @classmethod
    def of_runs(cls, runs: Runs, limits: tuple[int, int], shift: int) -> Bounds:
        """Those of a map."""
        unit, falls = 1 << shift, runs.is_falling
        low_raw, high_raw = (runs.last, runs.first) if falls else (runs.first, runs.last)
        is_bound_below = runs.value > limits[0]
        is_bound_above = runs.value < limits[1]
        # from one raw value to the next a line need not rise by more than all that there is
        steepest = (int(abs(runs.value[-1] - runs.value[0])) + 2) * unit
        most = min(_MOST_SUM, steepest)
        return cls(
            ((runs.value * unit)[is_bound_below], low_raw[is_bound_below]),
            (((runs.value + 1) * unit - 1)[is_bound_above], high_raw[is_bound_above]),
            (-most, 0) if falls else (0, most),
        )

    def interval(self, multiplier: int) -> tuple[int, int]:
        """The least and the greatest offset that fit; nothing fits where they have crossed."""
        values, raw = self.lower
        lower = int(np.max(values - multiplier * raw)) if raw.size else None
        values, raw = self.upper
        upper = int(np.min(values - multiplier * raw)) if raw.size else None
        if lower is None:
            lower = 0 if upper is None else upper
        return lower, lower if upper is None else upper

    def best(self) -> int:
        """The multiplier with the widest interval."""
        low, high = self.least, self.most
        while low < high:
            middle = (low + high) // 2
            if self._width(middle) < self._width(middle + 1):
                low = middle + 1
            else:
                high = middle
        return low

    def _width(self, multiplier: int) -> int:
        lower, upper = self.interval(multiplier)
        return upper - lower
