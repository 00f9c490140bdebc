"""1 / sqrt(x) of an integer as a multiplier and a shift, by which TFLM's RSQRT and L2_NORMALIZATION
are defined: its `GetInvSqrtQuantizedMultiplierExp`."""

from __future__ import annotations

import numpy as np

from tinyml_rules.arithmetic.exponential import saturating_shift_left
from tinyml_rules.arithmetic.fixed_point import INT32_MAX, Int64Array, rounding_high_multiply

ONE_AND_A_HALF = (1 << 28) + (1 << 27)
"""In Q3."""
HALF_OF_SQRT_2 = 1518500250
"""In Q0."""
STEPS = 5
"""Of Newton and Raphson, from a first guess of 1."""


def inverse_square_root(values: Int64Array) -> tuple[Int64Array, Int64Array]:
    """(multipliers, shifts) with 1 / sqrt(value) = multiplier * 2^(shift - 31), each shift to the
    left where it is positive; for int32 values of 0 or more, of which 0 counts as 1."""
    flat = np.asarray(values, np.int64).reshape(-1).tolist()
    pairs = np.array([_of_one(value) for value in flat], np.int64).reshape(-1, 2)
    shape = np.shape(values)
    return pairs[:, 0].reshape(shape), pairs[:, 1].reshape(shape)


def _of_one(value: int) -> tuple[int, int]:
    if value <= 1:
        return INT32_MAX, 0
    right = 11
    while value >= 1 << 29:
        value >>= 2
        right += 1
    while value < 1 << 27:
        value <<= 2
        right -= 1
    multiplier = int(_of_fraction(np.array(value >> 1, np.int64)))
    if right < 0:
        multiplier, right = multiplier << -right, 0
    return multiplier, -right


def _of_fraction(value: Int64Array) -> Int64Array:
    """Q3 in: 0.25 to 1; Q0 out: half of what 1 / sqrt(2 x) would be in Q3."""
    half = (value + 1) >> 1  # rounding_shift_right of a number that is not negative
    x: Int64Array = np.array(1 << 28, np.int64)
    for _ in range(STEPS):
        square = rounding_high_multiply(x, x)
        cube = saturating_shift_left(rounding_high_multiply(square, x), 6)
        more = rounding_high_multiply(x, ONE_AND_A_HALF) - rounding_high_multiply(half, cube)
        x = saturating_shift_left(more, 3)
    return rounding_high_multiply(x, HALF_OF_SQRT_2)
