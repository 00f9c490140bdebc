"""PRELU in numpy, with numpy's own broadcasting."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.fixed_point import INT8_MAX, INT8_MIN, quantize_multiplier, requantize
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.in_numpy import evaluated, moved
from tinyml_rules.ops._shared.scales import product, quotient


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor; `BroadcastPrelu4DSlow` of TFLM."""
    source, alpha, result = view["input"], view["alpha"], view.output
    centred = values[source.index].astype(np.int64) - source.zero_point
    slopes = values[alpha.index].astype(np.int64) - alpha.zero_point
    slope_scale = product(view, source.scale, alpha.scale)
    products = requantize(
        centred * slopes,
        *quantize_multiplier(quotient(view, slope_scale, result.scale)),
        zero_point=result.zero_point,
        clamp_min=INT8_MIN,
        clamp_max=INT8_MAX,
    )
    return np.where(centred >= 0, moved(view, values[source.index], source, result), products)


def real(view: NodeView, values: Mapping[int, Array]) -> Array:
    """Of float32."""

    def function(first: Array, second: Array) -> Array:
        return np.where(np.greater_equal(first, 0), first, np.multiply(first, second))

    return evaluated(function, view, values)
