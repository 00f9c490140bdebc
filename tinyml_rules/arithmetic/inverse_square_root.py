"""1 / sqrt(n) of whole numbers as TFLM computes it, bit for bit."""

from __future__ import annotations

import numpy as np

from tinyml_rules.arithmetic.exponential import saturating_shift_left
from tinyml_rules.arithmetic.fixed_point import (
    INT32_MAX,
    Int64Array,
    rounding_high_multiply,
    rounding_shift_right,
)

_ONE, _THREE_HALVES = 1 << 28, 3 << 27
"""Fixed point with three integer bits, as all below."""
_HALF_ROOT_OF_2 = 1518500250
_NEWTON_STEPS = 5


def inverse_square_roots(numbers: Int64Array) -> tuple[Int64Array, Int64Array]:
    """The (multiplier, shift) with 1 / sqrt(n) ≈ multiplier * 2^(shift - 31) of each int32 n >= 0,
    where 0 counts as 1; `GetInvSqrtQuantizedMultiplierExp` of TFLM, its shift reversed."""
    lengths = np.frexp(numbers.astype(np.float64))[1].astype(np.int64)
    # the even exponent that brings a number to between 2^27 and 2^29; what is beyond is cut off
    exponents = (29 - lengths) >> 1 << 1
    inputs = (numbers << exponents.clip(0)) >> (-exponents).clip(0)
    half = rounding_shift_right(inputs >> 1, 1)
    x = np.full(numbers.shape, _ONE, np.int64)
    for _ in range(_NEWTON_STEPS):
        cube = rounding_high_multiply(rounding_high_multiply(x, x), x)
        product = rounding_high_multiply(half, saturating_shift_left(cube, 6))
        x = saturating_shift_left(rounding_high_multiply(x, _THREE_HALVES) - product, 3)
    roots = rounding_high_multiply(x, _HALF_ROOT_OF_2)
    shifts = exponents // 2 - 11
    multipliers = np.where(numbers <= 1, INT32_MAX, roots << shifts.clip(0))
    return multipliers, np.where(numbers <= 1, 0, shifts.clip(max=0))
