"""Sums of products in numpy, for oracles: exact for integers, and for float32 in the order in which
C adds them, so that the bits are the same on every machine."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[Any]

_FEW = 2**11
"""With fewer sums than this, a numpy loop over the products does not pay."""
_ONE_THREAD = 2**18
"""Up to so many products OpenBLAS uses one thread. On two busy processors, its threads waited for
each other ten times as long as the sums of a layer take."""
_BLOCK = 2**16
"""Products that are in memory at once."""


def sums_of_products(rows: Numbers, matrix: Numbers) -> Numbers:
    """Every row [n][count] times every row of a matrix [outputs][count]: [n][outputs], in the type
    of the rows.

    float32 is added product after product. All other types use float64, in any order: it holds
    every integer below 2^53, and so every sum of fewer than 2^36 products of two int8 values minus
    their zero points, or of 16-bit values and 8-bit weights; of two 16-bit values 2^22 are enough.
    """
    if rows.dtype == np.float32:
        return _in_order(rows, matrix.astype(np.float32))
    columns = matrix.astype(np.float64).T
    step = max(_ONE_THREAD // max(columns.size, 1), 1)
    parts = [
        (rows[start : start + step].astype(np.float64) @ columns).astype(rows.dtype)
        for start in range(0, len(rows), step)
    ]
    return np.concatenate(parts)


def _in_order(rows: Numbers, matrix: Numbers) -> Numbers:
    if len(rows) > len(matrix):  # the inner loop is the longer one
        return _in_order(matrix, rows).T
    left, right = (np.ascontiguousarray(each.T) for each in (rows, matrix))
    sums = np.zeros((len(rows), len(matrix)), np.float32)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        if sums.size < _FEW:
            return _few_in_order(left, right, sums)
        product = np.empty_like(sums)
        for first, second in zip(left, right, strict=True):
            np.multiply(first[:, np.newaxis], second, out=product)
            np.add(sums, product, out=sums)
    return sums


def _few_in_order(left: Numbers, right: Numbers, sums: Numbers) -> Numbers:
    """The same for few sums, where calls would dominate: many products at once."""
    step = max(_BLOCK // max(sums.size, 1), 1)
    for start in range(0, len(left), step):
        block = slice(start, start + step)
        found = left[block, :, np.newaxis] * right[block, np.newaxis]
        found[0] += sums
        sums = np.add.accumulate(found, axis=0)[-1]
    return sums
