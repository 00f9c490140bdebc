"""A function of the sum of two int8 as a sum of two tables: floor((first[a] + second[b]) / 2^bits).

Entries of 16 bits, with as few as `bits` below the point, cannot be those that a formula rounds to:
of 65,536 results some are so near a bound that entries have to make room for one another. What each
result asks for is a bound of first[a] + second[b], hence, with the second table's signs turned, of
a difference of two unknowns. Bounds of differences are shortest paths (Bellman and Ford): the
entries are lowered until none breaks a bound, which where there are tables takes no more rounds
than there are unknowns.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.fixed_point import Int64Array
from tinyml_rules.ir.graph import Array

Int32Array = npt.NDArray[np.int32]

MOST_BITS = 8
"""Below the point: whole bytes, for processors without a shifter."""
_LEAST_BITS = 5
_LEAST, _MOST = -(2**15), 2**15 - 1
_UNBOUNDED = 2**29
_MOST_ROUNDS = 2 * 256 + 1
"""Entries, and the origin from which they count."""


def in_tables(
    first: Array, second: Array, results: Int64Array, limits: tuple[int, int]
) -> tuple[Int32Array, int] | None:
    """([2][256] entries, bits) whose sums, shifted to the right by `bits` and clamped to `limits`,
    are the `results` [256][256]; None where there are none.

    `first` and `second` are about what each value adds to a result, real numbers.
    """
    least, most = limits
    for bits in range(MOST_BITS, _LEAST_BITS - 1, -1):
        lower = np.where(results <= least, -_UNBOUNDED, results << bits).astype(np.int32)
        upper = np.where(results >= most, _UNBOUNDED, (results + 1 << bits) - 1).astype(np.int32)
        middle = (first.max() + first.min()) / 2
        start = (_raised(first - middle, bits), -_raised(second + middle, bits))
        entries = _within(lower, upper, *start)
        if entries is not None:
            sums = entries[0][:, np.newaxis] + entries[1]
            assert np.array_equal(np.clip(sums >> bits, least, most), results)
            return entries, bits
    return None


def _raised(values: Array, bits: int) -> Int32Array:
    bounded = np.clip(np.round(np.asarray(values, np.float64) * 2**bits), -_UNBOUNDED, _UNBOUNDED)
    raised: Int32Array = bounded.astype(np.int32)
    return raised


def _within(
    lower: Int32Array, upper: Int32Array, rows: Int32Array, columns: Int32Array
) -> Int32Array | None:
    """int16 entries [2][256] with lower[a][b] <= first[a] + second[b] <= upper[a][b].  `rows` are
    about those of the first table, and `columns` of the second with their signs turned."""
    origin = 0
    for _ in range(_MOST_ROUNDS):
        origin = min(origin, int(rows.min()) - _LEAST, int(columns.min()) + _MOST)
        lower_rows = np.minimum(rows, (upper + columns).min(axis=1))
        lower_rows = np.minimum(lower_rows, origin + _MOST)
        lower_columns = np.minimum(columns, (lower_rows[:, np.newaxis] - lower).min(axis=0))
        lower_columns = np.minimum(lower_columns, origin - _LEAST)
        if np.array_equal(lower_rows, rows) and np.array_equal(lower_columns, columns):
            return np.stack([rows - origin, origin - columns])
        rows, columns = lower_rows, lower_columns
    return None
