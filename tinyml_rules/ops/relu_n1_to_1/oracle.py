"""RELU_N1_TO_1 in numpy."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.fixed_point import Activation, quantize_multiplier, requantize
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.in_numpy import bounds
from tinyml_rules.ops._shared.real_maps import Float32Array, in_float32


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor; `QuantizedReluX` of LiteRT, where the quotient of
    the scales is a float32."""
    source, result = view.input(0), view.output
    quotient = np.float32(source.scale) / np.float32(result.scale)
    low, high = bounds(result, Activation.RELU_N1_TO_1)
    return requantize(
        values[source.index].astype(np.int64) - source.zero_point,
        *quantize_multiplier(float(quotient)),
        zero_point=result.zero_point,
        clamp_min=low,
        clamp_max=high,
    )


@in_float32
def oracle_of_reals(values: Float32Array, _attrs: object) -> Array:
    """`Relu1Eval` of LiteRT."""
    return np.clip(values, np.float32(-1), np.float32(1))
