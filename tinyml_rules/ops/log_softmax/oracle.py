"""LOG_SOFTMAX in numpy: `LogSoftmaxQuantized` of TFLM, bounds of distances included."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.exponential import exp_on_negative_values
from tinyml_rules.arithmetic.fixed_point import (
    INT8_MAX,
    INT8_MIN,
    INT32_MAX,
    INT32_MIN,
    multiply_by_quantized_multiplier,
    quantize_multiplier,
    rounding_shift_right,
)
from tinyml_rules.arithmetic.logarithm import logarithm
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.real_maps import Float32Array, in_float32, in_order, nearest

Q5 = 26
"""Bits after the point."""


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    source = view["input"]
    vectors = values[source.index].astype(np.int64)
    differences = vectors - vectors.max(axis=-1, keepdims=True)
    multiplier, shift = quantize_multiplier(min(source.scale * 2.0**Q5, float(INT32_MAX)))
    least = -(31 * 2**Q5 // 2**shift)
    is_near = differences >= least
    near = np.where(is_near, differences, 0)
    exponents = multiply_by_quantized_multiplier(near, multiplier, shift)
    terms = np.where(is_near, rounding_shift_right(exp_on_negative_values(exponents), 12), 0)
    logs = logarithm(terms.sum(axis=-1, keepdims=True))
    reverse = quantize_multiplier(2.0 ** (31 - shift) / multiplier)
    bound = multiply_by_quantized_multiplier(logs + INT32_MIN, *reverse)
    results = rounding_shift_right(exponents - logs, Q5 - 4) + INT8_MAX
    results = np.where(differences > np.maximum(least - 1, bound), results, INT8_MIN)
    return np.clip(results, INT8_MIN, INT8_MAX).astype(np.int8)


@in_float32
def oracle_of_real(values: Float32Array, _attrs: object) -> Array:
    """`reference_ops::LogSoftmax` of TFLM."""
    distances = values - np.fmax.reduce(values, axis=-1, keepdims=True)
    return distances - nearest(np.log, in_order(nearest(np.exp, distances)))
