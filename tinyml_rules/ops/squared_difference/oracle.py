"""SQUARED_DIFFERENCE in numpy, with numpy's own broadcasting."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.fixed_point import (
    INT8_MAX,
    INT8_MIN,
    quantize_multiplier,
    requantize,
)
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.in_numpy import evaluated, in_common_scale

BITS = 7
"""By which the inputs are raised before they are rescaled."""


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output of int8, shaped like the output tensor."""
    result = view.output
    first, second, scale = in_common_scale(view, values, bits=BITS)
    return requantize(
        (first - second) ** 2,
        *quantize_multiplier(scale**2 / result.scale),
        zero_point=result.zero_point,
        clamp_min=INT8_MIN,
        clamp_max=INT8_MAX,
    )


def plain(view: NodeView, values: Mapping[int, Array]) -> Array:
    """Of int32 and float32."""

    def square(first: Array, second: Array) -> Array:
        return np.square(np.subtract(first, second))

    return evaluated(square, view, values)
