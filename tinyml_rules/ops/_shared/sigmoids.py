"""What LOGISTIC and TANH of int8 share: TFLM uses gemmlowp's functions of numbers with four integer
bits, LiteRT a table of a function of float32."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tinyml_rules.arithmetic.fixed_point import (
    INT8_MAX,
    INT8_MIN,
    Int64Array,
    multiply_by_quantized_multiplier,
    quantize_multiplier,
    rounding_shift_right,
)
from tinyml_rules.ir.graph import Array, Tensor
from tinyml_rules.ops._shared.real_maps import Float32Array

INPUT_INTEGER_BITS = 4
_FRACTION_BITS = 31 - INPUT_INTEGER_BITS


def through_fixed_point(
    source: Tensor,
    values: Array,
    function: Callable[[Int64Array, int], Int64Array],
    *,
    output_bits: int,
    zero_point: int,
) -> Array:
    """The results with so many fraction bits; `reference_integer_ops::Logistic` and `Tanh`
    of TFLM."""
    multiplier, shift = quantize_multiplier(source.scale * 2.0**_FRACTION_BITS)
    # `CalculateInputRadius` of TFLM: from this distance on the result is the least or the greatest;
    # 0 for large scales, so that even 0 gives the least
    radius = int((2**INPUT_INTEGER_BITS - 1) * 2.0 ** (_FRACTION_BITS - shift))
    distances = values.astype(np.int64) - source.zero_point
    inside = np.clip(distances, -radius, radius)
    q4 = multiply_by_quantized_multiplier(inside, multiplier, shift)
    found = rounding_shift_right(function(q4, INPUT_INTEGER_BITS), 31 - output_bits)
    results = np.clip(found + zero_point, INT8_MIN, INT8_MAX)
    results = np.where(distances >= radius, INT8_MAX, results)
    return np.where(distances <= -radius, INT8_MIN, results).astype(np.int8)


def through_reals(
    source: Tensor, result: Tensor, values: Array, function: Callable[[Float32Array], Float32Array]
) -> Array:
    """The results of a function of float32, rounded to the output's scale; `LUTPopulate` of LiteRT,
    each step in float32."""
    distances = (values.astype(np.int64) - source.zero_point).astype(np.float32)
    inverse = np.float32(1) / np.float32(result.scale)
    scaled = function(np.float32(source.scale) * distances) * inverse
    rounded = np.copysign(np.floor(np.abs(scaled).astype(np.float64) + 0.5), scaled)
    return np.asarray(np.clip(rounded + result.zero_point, INT8_MIN, INT8_MAX), np.int8)
