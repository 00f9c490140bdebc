"""MUL in numpy, with numpy's own broadcasting."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.fixed_point import (
    Activation,
    clamp_range,
    quantize_multiplier,
    requantize,
)
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.activated import activation_of
from tinyml_rules.ops._shared.in_numpy import activated
from tinyml_rules.ops._shared.scales import product, quotient


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor; `MulElementwise` of TFLM."""
    result = view.output
    first, second = (
        values[tensor.index].astype(np.int64) - tensor.zero_point
        for tensor in (view["first input"], view["second input"])
    )
    scale = product(view, view["first input"].scale, view["second input"].scale)
    factor = quotient(view, scale, result.scale)
    clamp_min, clamp_max = clamp_range(
        Activation(activation_of(view)), scale=result.scale, zero_point=result.zero_point
    )
    return requantize(
        first * second,
        *quantize_multiplier(factor),
        zero_point=result.zero_point,
        clamp_min=clamp_min,
        clamp_max=clamp_max,
    )


def clamped(view: NodeView, values: Mapping[int, Array]) -> Array:
    """Of plain numbers: the product, then the activation."""
    if view.output.dtype is DType.INT32:
        values = {index: each.astype(np.int64) for index, each in values.items()}
    return activated(np.multiply, view, values)
