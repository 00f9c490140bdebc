"""Functions of a sum of two int8 as sums of two tables: right for all pairs, or none at all."""

from __future__ import annotations

import numpy as np
import pytest

from tinyml_rules.arithmetic.fixed_point import INT8, Int64Array
from tinyml_rules.arithmetic.sums_of_tables import MOST_BITS, in_tables

VALUES = np.arange(-128, 128)


def _results(first: int, second: int, limits: tuple[int, int]) -> Int64Array:
    """Of so many thousandths of each value, rounded."""
    sums = first * VALUES[:, np.newaxis] + second * VALUES
    return np.asarray(np.clip((sums + 500) // 1000, *limits), np.int64)


@pytest.mark.parametrize("limits", [INT8, (-20, 127), (0, 0)])
@pytest.mark.parametrize(
    "factors", [(700, 430), (500, 500), (1000, -999), (2200, 651), (4111, -3700), (0, 1000)]
)
def test_every_sum(factors: tuple[int, int], limits: tuple[int, int]) -> None:
    """As many bits below the point as int16 has room for, and every sum as it should be."""
    first, second = factors
    results = _results(first, second, limits)
    found = in_tables(first / 1000 * VALUES + 1 / 2, second / 1000 * VALUES, results, limits)
    assert found is not None
    entries, bits = found
    assert np.array_equal(entries, entries.astype(np.int16))
    sums = entries[0][:, np.newaxis] + entries[1]
    assert np.array_equal(np.clip(sums >> bits, *limits), results)
    assert bits == MOST_BITS or max(map(abs, factors)) > 1000


def test_none() -> None:
    """A result that no sum has, sums beyond int16, and what is no function of a sum."""
    results = _results(700, 430, INT8)
    results[100, 100] += 1
    results[100, 101] -= 1
    assert in_tables(0.7 * VALUES, 0.43 * VALUES, results, INT8) is None
    results = _results(30_000, 29_000, INT8)
    assert in_tables(30 * VALUES, 29 * VALUES, results, INT8) is None
    products = np.clip(VALUES[:, np.newaxis] * VALUES, *INT8)
    assert in_tables(VALUES, VALUES, products, INT8) is None
