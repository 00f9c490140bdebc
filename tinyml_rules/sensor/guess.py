"""A line that finds where to look in a list of ends: the step of a raw value, or the one before.

The line takes the upper 16 bits of a raw value, so that its sums have 32; the ends decide the rest
exactly, for any number of bits and any rounding of the map.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tinyml_rules.sensor.affine import Values
from tinyml_rules.sensor.line import Bounds, Coefficients, is_in_words, line_values

UPPER_BITS = 16
LIMITS = (-128, 127)
"""Of the line, whose greatest value is the last step."""
_SHIFTS = range(22, UPPER_BITS - 1, -1)


@dataclass(frozen=True)
class Guess:
    """With a number of ends, a step is clamp(((raw >> drop) * multiplier + offset) >> shift) +
    ends - 127 or one more, and not below 0."""

    drop: int
    shift: int
    coefficients: tuple[Coefficients, ...]

    @property
    def has_short_multipliers(self) -> bool:
        """All are numbers of 16 bits, which the search sees to."""
        return True

    def steps(self, raw: Values, channel: int, ends: int) -> Values:
        """The step that is looked at first."""
        upper = raw >> self.drop
        found = line_values(upper, self.coefficients[channel], self.shift, LIMITS)
        return np.maximum(found + ends - LIMITS[1], 0)


def guess_of(ends: Sequence[Values], span: tuple[int, int], bits: int) -> Guess | None:
    """The line for the ends of each channel, proved for every raw value of the span; None where
    steps are too many, or too near to each other for 16 bits."""
    if max(each.size for each in ends) > LIMITS[1] - LIMITS[0]:
        return None
    drop = max(bits - UPPER_BITS, 0)
    steps = [_Steps.of(each, span, drop) for each in ends]
    for shift in _SHIFTS:
        found = [_coefficients(each, shift) for each in steps]
        fitting = tuple(each for each in found if each is not None)
        if len(fitting) == len(ends):
            return Guess(drop, shift, fitting)
    return None


@dataclass(frozen=True, eq=False)
class _Steps:
    """Values that the line may not be below, and that it may not be above,
    each with the upper bits where that binds: of a run of the same, one end."""

    least: tuple[Values, Values]
    most: tuple[Values, Values]

    @classmethod
    def of(cls, ends: Values, span: tuple[int, int], drop: int) -> _Steps:
        upper = np.arange(span[0] >> drop, (span[1] >> drop) + 1)
        first = np.searchsorted(ends, np.maximum(upper << drop, span[0]))
        last = np.searchsorted(ends, np.minimum(((upper + 1) << drop) - 1, span[1]))
        is_low = (np.diff(last, prepend=last[0] - 1) > 0) & (last > 1)
        is_high = (np.diff(first, append=first[-1] + 1) > 0) & (first < ends.size)
        zero = LIMITS[1] - ends.size
        least, most = last[is_low] - 1 + zero, first[is_high] + zero
        return cls((least, upper[is_low]), (most, upper[is_high]))


def _coefficients(steps: _Steps, shift: int) -> Coefficients | None:
    """The line that is not above the first step of any 16 bits, and at most one below the last."""
    (least, at_least), (most, at_most) = steps.least, steps.most
    bounds = Bounds(
        (least << shift, at_least),
        ((most + 1 << shift) - 1, at_most),
        (0, 2 ** (UPPER_BITS - 1) - 1),
    )
    multiplier = bounds.best()
    low, high = bounds.interval(multiplier)
    found = Coefficients(multiplier, (low + high) // 2)
    words = (-(2 ** (UPPER_BITS - 1)), 2**UPPER_BITS - 1)
    return found if low <= high and is_in_words(found, words) else None
