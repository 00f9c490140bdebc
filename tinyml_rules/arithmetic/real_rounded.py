"""Sizes in 64-bit integers rounded to float32."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.high_product import Uint64Array

_TOP = np.uint64(63)


def raised(
    size: Uint64Array, exponent: npt.NDArray[np.int64]
) -> tuple[Uint64Array, npt.NDArray[np.int64]]:
    """The same size * 2^exponent with the highest bit at the top; 0 stays 0."""
    for step in (32, 16, 8, 4, 2, 1):
        is_low = size >> np.uint64(64 - step) == 0
        size = np.where(is_low, size << np.uint64(step), size)
        exponent = exponent - np.where(is_low, step, 0)
    return size, exponent


def rounded(
    size: Uint64Array, exponent: npt.NDArray[np.int64], is_negative: npt.NDArray[np.bool_]
) -> npt.NDArray[np.uint32]:
    """The bits of the floats nearest to size * 2^(exponent - 64), for results that are neither
    infinite nor below 2^-126."""
    size, exponent = raised(size, exponent)
    left, half = size & np.uint64(2**40 - 1), np.uint64(2**39)
    digits = size >> np.uint64(40)
    is_up = (left > half) | ((left == half) & (digits & np.uint64(1) != 0))
    found = digits + is_up + ((exponent + 125).astype(np.uint64) << np.uint64(23))
    found = found | np.where(is_negative, np.uint64(1 << 31), np.uint64(0))
    return np.asarray(found, np.uint32)
