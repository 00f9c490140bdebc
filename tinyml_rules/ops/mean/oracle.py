"""MEAN in numpy: a sum whose multiplier is divided by the number of its values."""

from __future__ import annotations

import math
from collections.abc import Mapping

from tinyml_rules.arithmetic.fixed_point import (
    INT8_MAX,
    INT8_MIN,
    quantize_multiplier,
    requantize,
)
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.in_numpy import sums_over_axes


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    source, result = view.input(0), view.output
    sums, cells = sums_over_axes(view, values[source.index], values[view.input(1).index])
    multiplier, shift = quantize_multiplier(source.scale / result.scale)
    bits = min(math.floor(math.log2(cells)), 32, 31 + shift)
    return requantize(
        sums,
        multiplier * 2**bits // cells,
        shift - bits,
        zero_point=result.zero_point,
        clamp_min=INT8_MIN,
        clamp_max=INT8_MAX,
    )
