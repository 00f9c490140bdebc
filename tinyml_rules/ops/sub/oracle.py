"""SUB in numpy, with numpy's own broadcasting."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.fixed_point import quantize_multiplier, requantize
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.activated import activation_of
from tinyml_rules.ops._shared.in_numpy import activated, bounds, in_common_scale

BITS = 20
"""By which the inputs are raised before they are rescaled."""


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output of int8, shaped like the output tensor."""
    result = view.output
    first, second, scale = in_common_scale(view, values, bits=BITS)
    low, high = bounds(result, activation_of(view))
    return requantize(
        first - second,
        *quantize_multiplier(scale / result.scale),
        zero_point=result.zero_point,
        clamp_min=low,
        clamp_max=high,
    )


def clamped(view: NodeView, values: Mapping[int, Array]) -> Array:
    """Of plain numbers, with a fused activation."""
    return activated(np.subtract, view, values)
