"""Multipliers of fewer bits that requantize every sum to the same value.

What an output channel makes of its sums is a step function with at most 255 steps.  A multiplier
near the channel's own that has every step at the same sum gives the same for every sum, because
between its steps it cannot differ.  It is searched for, and proved at each step.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Int64Array = npt.NDArray[np.int64]

_FARTHEST = 400
"""Numbers of fewer bits that are tried on either side of a multiplier."""


def first_sums(multiplier: Int64Array, right: Int64Array, values: Int64Array) -> Int64Array:
    """The least sums that TFLM's rounding multiplication and rounding shift to the `right`, 1 to 20
    bits, take to at least these values: [channels][values].

    The shift gives y from y * 2^right - 2^(right - 1) on, one more where y <= 0, because ties go
    away from zero; the multiplication gives x from (x * 2^31 - 2^30) / multiplier on.
    """
    rights = right[:, None]
    highs = (values << rights) - (1 << (rights - 1)) + (values <= 0)
    return np.asarray(-((2**30 - highs * 2**31) // multiplier[:, None]), np.int64)


def values_above(sums: Int64Array, multiplier: Int64Array, right: Int64Array) -> Int64Array:
    """The results of `Rounding.UPWARDS` for sums that are not below zero: see lower/rounding.py."""
    twice = ((4 * sums * multiplier) >> 32) + 1
    return np.asarray(((twice >> right) + 1) >> 1, np.int64)


def short_multipliers(
    multiplier: Int64Array, right: Int64Array, *, most: int, low_bits: int
) -> Int64Array | None:
    """A multiplier for each channel whose `low_bits` are 0 and which takes every sum from 0 on to
    the same of the values 0 to `most`, all beyond counted as that; None if some channel has none.
    """
    values = np.arange(1, most + 1)
    first = first_sums(multiplier, right, values)
    found = np.zeros_like(multiplier)
    missing = np.arange(len(multiplier))
    for distance in sorted(range(-_FARTHEST, _FARTHEST + 1), key=abs):
        tried = ((multiplier[missing] >> low_bits) + distance) << low_bits
        columns = tried[:, None], right[missing][:, None]
        reaches = values_above(first[missing], *columns) >= values
        is_same = (reaches & (values_above(first[missing] - 1, *columns) < values)).all(axis=1)
        is_same &= tried < 2**31
        found[missing[is_same]] = tried[is_same]
        missing = missing[~is_same]
        if not missing.size:
            return found
    return None
