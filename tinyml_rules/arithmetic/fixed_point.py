"""Quantized arithmetic, bit for bit as TensorFlow Lite for Microcontrollers (TFLM) does it.

The multiplication by a real number below one or above it is the double-rounding form of TFLM: a
saturating rounding doubling high multiply, then a rounding right shift.  Everything here is numpy
on int64 with explicit wraps to int32; nothing here knows an operator.
"""

from __future__ import annotations

import math
from enum import IntEnum
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

Int64Array = npt.NDArray[np.int64]

INT8_MIN, INT8_MAX = INT8 = (-128, 127)
INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1


class Activation(IntEnum):
    """Fused activations, numbered as in the schema's ActivationFunctionType."""

    NONE = 0
    RELU = 1
    RELU_N1_TO_1 = 2
    RELU6 = 3
    TANH = 4
    SIGN_BIT = 5


CLAMPING_ACTIVATIONS = frozenset(
    {Activation.NONE, Activation.RELU, Activation.RELU_N1_TO_1, Activation.RELU6}
)
"""The activations that are a clamp of the quantized result, the only ones that TFLM fuses."""


def round_half_away(value: float) -> int:
    """Nearest integer, ties away from zero (C's `round`), for a finite value."""
    return int(math.copysign(math.floor(abs(value) + 0.5), value))


@lru_cache(maxsize=2**14)
def quantize_multiplier(real: float) -> tuple[int, int]:
    """The (multiplier, shift) with real ≈ multiplier * 2^(shift - 31), multiplier in [2^30, 2^31).

    `QuantizeMultiplier` of TFLM: below 2^-32 everything becomes (0, 0).  `real` is a double >= 0.
    """
    assert real >= 0 and math.isfinite(real)
    if real == 0:
        return 0, 0
    fraction, shift = math.frexp(real)
    multiplier = round_half_away(fraction * 2**31)
    if multiplier == 2**31:
        multiplier //= 2
        shift += 1
    if shift < -31:
        return 0, 0
    return multiplier, shift


def wrap_int32(values: Int64Array) -> Int64Array:
    """The values modulo 2^32, as two's complement int32 would hold them."""
    return ((values + 2**31) & 0xFFFFFFFF) - 2**31


def rounding_high_multiply(a: Int64Array, b: Int64Array | int) -> Int64Array:
    """floor((a * b + 2^30) / 2^31): gemmlowp's SaturatingRoundingDoublingHighMul.

    Its truncating division with a nudge of either sign rounds ties upwards, which is this floor.
    The one case that saturates, a = b = -2^31, cannot happen with a multiplier >= 0.
    """
    return (a * np.asarray(b, np.int64) + 2**30) >> 31


def rounding_shift_right(values: Int64Array, exponent: Int64Array | int) -> Int64Array:
    """values / 2^exponent, ties away from zero: gemmlowp's RoundingDivideByPOT, exponent 0..31."""
    exponents = np.asarray(exponent, np.int64)
    mask = (np.int64(1) << exponents) - 1
    threshold = (mask >> 1) + (values < 0)
    return (values >> exponents) + ((values & mask) > threshold)


def multiply_by_quantized_multiplier(
    acc: Int64Array, multiplier: Int64Array | int, shift: Int64Array | int
) -> Int64Array:
    """acc * multiplier * 2^(shift - 31), rounded twice; the left shift wraps to int32 as C does."""
    shifts = np.asarray(shift, np.int64)
    shifted = wrap_int32(acc << np.maximum(shifts, 0))
    high = rounding_high_multiply(shifted, multiplier)
    return rounding_shift_right(high, np.maximum(-shifts, 0))


def of_16_bits(multiplier: Int64Array | int) -> Int64Array:
    """The highest 16 bits of a multiplier, rounded, as TFLM takes them for sums of 64 bits."""
    highest: Int64Array = (np.asarray(multiplier, np.int64) + 2**15) >> 16
    return np.minimum(highest, 2**15 - 1)


def multiply_by_16_bits(
    acc: Int64Array, multiplier: Int64Array | int, shift: Int64Array | int
) -> Int64Array:
    """acc * multiplier * 2^(shift - 15), rounded once, ties upwards, and wrapped to int32: TFLM's
    multiplication of sums of 64 bits, for those below 2^47 in size and a multiplier of 16 bits."""
    right = 15 - np.asarray(shift, np.int64)
    return wrap_int32((acc * multiplier + (np.int64(1) << (right - 1))) >> right)


def clamp_range(
    activation: Activation, *, scale: float, zero_point: int, limits: tuple[int, int] = INT8
) -> tuple[int, int]:
    """The range [clamp_min, clamp_max] of a fused activation on the output's quantization, within
    the `limits` of its type.

    `CalculateActivationRangeQuantized` of TFLM: the bounds are divided in float32.
    """
    low, high = {
        Activation.NONE: (None, None),
        Activation.RELU: (0.0, None),
        Activation.RELU6: (0.0, 6.0),
        Activation.RELU_N1_TO_1: (-1.0, 1.0),
    }[activation]

    def quantized(real: float) -> int:
        return zero_point + round_half_away(float(np.float32(real) / np.float32(scale)))

    least, most = limits
    clamp_min = least if low is None else max(least, quantized(low))
    clamp_max = most if high is None else min(most, quantized(high))
    return clamp_min, clamp_max


def requantize(
    acc: Int64Array,
    multiplier: Int64Array | int,
    shift: Int64Array | int,
    *,
    zero_point: int,
    clamp_min: int,
    clamp_max: int,
) -> npt.NDArray[np.int8]:
    """The int8 result of an int32 sum: rescale, add the zero point, which wraps, clamp."""
    scaled = multiply_by_quantized_multiplier(acc, multiplier, shift) + zero_point
    clamped = np.clip(wrap_int32(scaled), clamp_min, clamp_max)
    return np.asarray(clamped, np.int8)


def quantize_real(
    values: npt.NDArray[np.float32], *, scale: float, zero_point: int, dtype: str = "int8"
) -> npt.NDArray[Any]:
    """TFLM's AffineQuantize to an integer type: round(value / scale) in float32, ties away, +
    zero_point; what is no number becomes the least value."""
    quotient = values.astype(np.float32) / np.float32(scale)
    # float64 holds every float32 and every sum of one with a half, so floor is exact here
    rounded = np.copysign(np.floor(np.abs(quotient.astype(np.float64)) + 0.5), quotient)
    limits = np.iinfo(dtype)
    clipped = np.clip(np.nan_to_num(rounded, nan=-np.inf) + zero_point, limits.min, limits.max)
    return np.asarray(clipped, dtype)


def dequantize_real(
    values: npt.NDArray[Any], *, scale: float, zero_point: int
) -> npt.NDArray[np.float32]:
    """TFLM's Dequantize from integers: scale * (q - zero_point) in float64, rounded to float32."""
    product = np.float64(np.float32(scale)) * (values.astype(np.int64) - zero_point)
    return product.astype(np.float32)
