"""LEAKY_RELU in numpy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from tinyml_rules.arithmetic.fixed_point import (
    INT8_MAX,
    INT8_MIN,
    multiply_by_quantized_multiplier,
    quantize_multiplier,
)
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.real_maps import Float32Array, in_float32
from tinyml_rules.ops._shared.scales import product, quotient


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor; `QuantizeLeakyRelu` of TFLM."""
    source, result = view["input"], view.output
    attrs: Any = view.node.attrs
    distances = values[source.index].astype(np.int64) - source.zero_point
    steeper = product(view, source.scale, abs(attrs.alpha))
    above = quantize_multiplier(quotient(view, source.scale, result.scale))
    below = quantize_multiplier(quotient(view, steeper, result.scale))
    sign = -1 if math.copysign(1, attrs.alpha) < 0 else 1
    scaled = np.where(
        distances >= 0,
        multiply_by_quantized_multiplier(distances, *above),
        sign * multiply_by_quantized_multiplier(distances, *below),
    )
    return np.asarray(np.clip(scaled + result.zero_point, INT8_MIN, INT8_MAX), np.int8)


@in_float32
def oracle_of_reals(values: Float32Array, attrs: Any) -> Array:
    """`LeakyRelu` of TFLM."""
    return np.where(values > 0, values, values * np.float32(attrs.alpha))
