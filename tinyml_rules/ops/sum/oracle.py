"""SUM in numpy, of quantized and of plain numbers."""

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
from tinyml_rules.ops._shared.in_numpy import over_axes, sums_over_axes


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    source, result = view.input(0), view.output
    sums, _ = sums_over_axes(view, values[source.index], values[view.input(1).index])
    factor = quantize_multiplier(source.scale / result.scale)
    return requantize(
        sums, *factor, zero_point=result.zero_point, clamp_min=INT8_MIN, clamp_max=INT8_MAX
    )


def oracle_of_plain(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The same of plain numbers; integers wrap."""
    dtype = values[view.input(0).index].dtype
    return over_axes(view, values, np.add, start=dtype.type(0))
