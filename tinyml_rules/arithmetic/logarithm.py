"""The natural logarithm in fixed point, by which TFLM's log softmax is defined: its
`log_x_for_x_greater_than_or_equal_to_1`.  As in `exponential.py`, all arrays hold int32 values."""

from __future__ import annotations

import numpy as np

from tinyml_rules.arithmetic.exponential import reciprocal_of_one_plus, saturating_shift_left
from tinyml_rules.arithmetic.fixed_point import (
    Int64Array,
    rounding_high_multiply,
    rounding_shift_right,
)

LOG_2 = 1488522236
SQRT_OF_HALF = 1518500250
FOURTH_ROOT_OF_HALF = 1805811301
ALPHA_N, ALPHA_D, ALPHA_I, ALPHA_F = 117049297, 127690142, 1057819769, 638450708
"""Coefficients of the quotient of polynomials, in Q0 as all above."""
SUM_BITS = 6
"""Integer bits of the two terms of the result."""
QUARTER = 1 << 23
"""1/4 in Q6."""


def logarithm(values: Int64Array, integer_bits: int = 12) -> Int64Array:
    """ln of values of 1 or more, with so many integer bits in, Q5 out: that of a power of two,
    a quarter above or below a whole one, and of what is left, a number near its fourth root."""
    headroom = _headroom(values)
    lower = saturating_shift_left(rounding_high_multiply(values << headroom, SQRT_OF_HALF), 1)
    other_headroom = _headroom(rounding_high_multiply(values, SQRT_OF_HALF))
    upper = np.minimum(values << other_headroom, 2**31 - 1)
    one = 1 << (31 - SUM_BITS)
    power = np.maximum(
        (integer_bits - 1 - headroom) * one + QUARTER,
        (integer_bits - other_headroom) * one - QUARTER,
    )
    logs = rounding_high_multiply(power, LOG_2) + _near_the_root(np.minimum(lower, upper))
    return saturating_shift_left(logs, 1)


def _headroom(values: Int64Array) -> Int64Array:
    """Zeros between the sign and the highest bit."""
    lengths = [31 - int(value).bit_length() for value in np.reshape(values, -1)]
    return np.array(lengths, np.int64).reshape(np.shape(values))


def _near_the_root(r: Int64Array) -> Int64Array:
    """ln of r / FOURTH_ROOT_OF_HALF, Q0 in, Q6 out."""
    mean = (r + FOURTH_ROOT_OF_HALF + 1) >> 1
    q = 2 * (r - FOURTH_ROOT_OF_HALF)
    square = rounding_high_multiply(q, q)
    cubic = rounding_high_multiply(rounding_high_multiply(q, square), ALPHA_N)
    numerator = rounding_high_multiply(q, r) + cubic
    factor = ALPHA_I + q + rounding_high_multiply(square, ALPHA_D)
    denominator = rounding_high_multiply(factor, mean) + rounding_high_multiply(q, ALPHA_F)
    quotient = rounding_shift_right(numerator, SUM_BITS)
    return rounding_high_multiply(quotient, reciprocal_of_one_plus(denominator))
