"""QUANTIZE in numpy."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.fixed_point import (
    multiply_by_quantized_multiplier,
    quantize_multiplier,
    quantize_real,
)
from tinyml_rules.ir.graph import Array, NodeView


def oracle_from_real(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    source, result = view["input"], view.output
    real = values[source.index].astype(np.float32)
    return quantize_real(
        real, scale=result.scale, zero_point=result.zero_point, dtype=str(result.dtype)
    )


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor; `Requantize` of TFLM."""
    source, result = view["input"], view.output
    distances = values[source.index].astype(np.int64) - source.zero_point
    factor = quantize_multiplier(source.scale / result.scale)
    moved = multiply_by_quantized_multiplier(distances, *factor) + result.zero_point
    return np.clip(moved, *result.dtype.limits).astype(result.dtype.numpy)
