"""LOGISTIC in numpy: gemmlowp's, of numbers with four integer bits."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.exponential import logistic
from tinyml_rules.arithmetic.fixed_point import (
    INT8_MAX,
    INT8_MIN,
    multiply_by_quantized_multiplier,
    quantize_multiplier,
    rounding_shift_right,
)
from tinyml_rules.ir.graph import Array, NodeView

INPUT_INTEGER_BITS = 4
_FRACTION_BITS = 31 - INPUT_INTEGER_BITS
_OUTPUT_BITS = 8
_OUTPUT_ZERO_POINT = -128


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor; `Logistic` of TFLM."""
    source = view.input(0)
    multiplier, shift = quantize_multiplier(source.scale * 2.0**_FRACTION_BITS)
    # `CalculateInputRadius` of TFLM: from this distance on the result is the least or the greatest;
    # 0 for large scales, so that even 0 gives the least
    radius = int((2**INPUT_INTEGER_BITS - 1) * 2.0 ** (_FRACTION_BITS - shift))
    distances = values[source.index].astype(np.int64) - source.zero_point
    inside = np.clip(distances, -radius, radius)
    q4 = multiply_by_quantized_multiplier(inside, multiplier, shift)
    q8 = rounding_shift_right(logistic(q4, INPUT_INTEGER_BITS), 31 - _OUTPUT_BITS)
    results = np.clip(q8 + _OUTPUT_ZERO_POINT, INT8_MIN, INT8_MAX)
    results = np.where(distances >= radius, INT8_MAX, results)
    return np.where(distances <= -radius, INT8_MIN, results).astype(np.int8)
