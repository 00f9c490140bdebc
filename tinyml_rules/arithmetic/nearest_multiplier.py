"""Multipliers for sums that are rounded once, to the nearest integer, ties away from zero.

LiteRT's reference kernel of FULLY_CONNECTED multiplies a sum by a double, and rounds the product.
Here it is |sum| * multiplier + 2^(30 - shift), shifted to the right by 31 - shift.  A multiplier is
searched with which that is the same for every sum: each result that int8 can still tell apart
begins with one sum, from which on and not before the form has to give it.  Both rise with the sum,
so that there is nothing in between.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.fixed_point import INT32_MAX, quantize_multiplier

Int64Array = npt.NDArray[np.int64]

MOST_RESULT = 256
"""A result of this size saturates int8 for any zero point."""
MOST_SUM = 2**31
"""Largest absolute value of a sum."""


def rounded_product(sums: Int64Array, factor: npt.NDArray[np.float64] | float) -> Int64Array:
    """round(sum * factor) of C, the product in double; saturated to 2^40 in size."""
    products = np.asarray(sums, np.float64) * factor
    size = np.minimum(np.abs(products), 2.0**40)
    whole = np.floor(size)
    # the sum of a product and a half could be rounded; the rest of a double is exact
    rounded = whole + (size - whole >= 0.5)
    return np.asarray(np.copysign(rounded, products), np.int64)


def nearest_multiplier(factor: float, *, most_sum: int = MOST_SUM) -> tuple[int, int] | None:
    """(multiplier, shift) for all sums of at most this size, multiplier below 2^31; None where
    there are none.  `factor`: a double above 0."""
    multiplier, shift = quantize_multiplier(factor)
    if multiplier == 0:  # below 2^-32 nothing is rounded up
        return 0, 0
    low, high = _bounds(factor, 31 - shift, most_sum)
    found = min(max(multiplier, low), high)
    return (found, shift) if low <= found <= INT32_MAX and found >= 1 else None


def _bounds(factor: float, right: int, most_sum: int) -> tuple[int, int]:
    """The least and the greatest multiplier for a shift to the right."""
    low, high = 1, INT32_MAX
    for result, first in enumerate(_firsts(factor).tolist(), start=1):
        half = (2 * result - 1) << (right - 1)
        if first <= most_sum:
            low = max(low, -(-half // first))
        last = min(first - 1, most_sum)
        if last > 0:
            high = min(high, (half - 1) // last)
    return low, high


def _firsts(factor: float) -> Int64Array:
    """The least sum above 0 of which each result from 1 on, or more, is made."""
    results = np.arange(1, MOST_RESULT + 1)
    first = np.clip(np.ceil((results - 0.5) / factor), 1, 2.0 * MOST_SUM).astype(np.int64)
    for _ in range(2):
        earlier = np.maximum(first - 1, 1)
        first = np.where(rounded_product(earlier, factor) >= results, earlier, first)
        first = np.where(rounded_product(first, factor) < results, first + 1, first)
    return np.asarray(first, np.int64)
