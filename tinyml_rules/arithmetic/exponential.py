"""The fixed-point functions of gemmlowp that TFLM's softmaxes and logistic are defined by.

A number with k integer bits is an int32 holding value * 2^(31 - k): `Q0` has none, `Q5` has five.
All arrays are int64 holding int32 values.
"""

from __future__ import annotations

import numpy as np

from tinyml_rules.arithmetic.fixed_point import (
    INT32_MAX,
    INT32_MIN,
    Int64Array,
    rounding_high_multiply,
    rounding_shift_right,
)

EXP_OF_MINUS_ONE_EIGHTH = 1895147668
ONE_THIRD = 715827883
EXP_OF_MINUS_POWERS = (
    (-2, 1672461947),
    (-1, 1302514674),
    (0, 790015084),
    (1, 290630308),
    (2, 39332535),
    (3, 720401),
    (4, 242),
)
"""(k, exp(-2^k) in Q0)."""
_ONE_IN_Q2 = 1 << 29


def exp_on_negative_values(values: Int64Array, integer_bits: int = 5) -> Int64Array:
    """exp of values <= 0, with so many integer bits in, Q0 out: a polynomial on [-1/4, 0), then one
    factor a bit."""
    fraction_bits = 31 - integer_bits
    quarter = 1 << (fraction_bits - 2)
    in_quarter = (values & (quarter - 1)) - quarter
    result = _exp_between_minus_quarter_and_0(in_quarter << integer_bits)
    remainder = in_quarter - values
    for exponent, factor in EXP_OF_MINUS_POWERS[: integer_bits + 2]:
        bit = 1 << (fraction_bits + exponent)
        result = np.where(remainder & bit, rounding_high_multiply(result, factor), result)
    return np.where(values == 0, INT32_MAX, result)


def _exp_between_minus_quarter_and_0(values: Int64Array) -> Int64Array:
    """exp, Q0 in and out: the Taylor polynomial of degree four around -1/8."""
    x = values + (1 << 28)
    x2 = rounding_high_multiply(x, x)
    x3 = rounding_high_multiply(x2, x)
    x4 = rounding_high_multiply(x2, x2)
    cubic_and_quartic = rounding_high_multiply(rounding_shift_right(x4, 2) + x3, ONE_THIRD)
    higher_terms = rounding_shift_right(cubic_and_quartic + x2, 1)
    product = rounding_high_multiply(x + higher_terms, EXP_OF_MINUS_ONE_EIGHTH)
    return EXP_OF_MINUS_ONE_EIGHTH + product


def reciprocal_of_one_plus(values: Int64Array) -> Int64Array:
    """1 / (1 + x) for x in [0, 1), Q0 in and out."""
    return saturating_shift_left(_doubled_reciprocal_of_one_plus(values), 1)


def _doubled_reciprocal_of_one_plus(values: Int64Array) -> Int64Array:
    """2 / (1 + x) for x in [0, 1), Q0 in and Q2 out: three steps of Newton and Raphson."""
    half_denominator = (values + INT32_MAX + 1) >> 1
    x = 1515870810 + rounding_high_multiply(half_denominator, -1010580540)
    for _ in range(3):
        error = _ONE_IN_Q2 - rounding_high_multiply(half_denominator, x)
        x = x + saturating_shift_left(rounding_high_multiply(x, error), 2)
    return x


def logistic(values: Int64Array, integer_bits: int) -> Int64Array:
    """1 / (1 + exp(-x)), `integer_bits` of at most 5 in, Q0 out."""
    positive = reciprocal_of_one_plus(exp_on_negative_values(-np.abs(values), integer_bits))
    negative = INT32_MAX - positive
    return np.where(values == 0, 1 << 30, np.where(values > 0, positive, negative))


def tanh(values: Int64Array, integer_bits: int) -> Int64Array:
    """The hyperbolic tangent, `integer_bits` of at most 4 in, Q0 out: (1 - e) / (1 + e), where e is
    exp(-2x), the same number with one integer bit more."""
    exponential = exp_on_negative_values(-np.abs(values), integer_bits + 1)
    reciprocal = _doubled_reciprocal_of_one_plus(exponential)
    positive = saturating_shift_left(reciprocal - _ONE_IN_Q2, 2)
    return np.sign(values) * positive


def saturating_shift_left(values: Int64Array, exponent: int) -> Int64Array:
    """values * 2^exponent, clamped to int32."""
    return np.asarray(np.clip(values << exponent, INT32_MIN, INT32_MAX), np.int64)
