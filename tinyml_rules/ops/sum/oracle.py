"""SUM in numpy, of quantized and of plain numbers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.fixed_point import quantize_multiplier
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.in_numpy import over_axes, requantized_sums, sums_over_axes


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    source, result = view["input"], view.output
    sums, _ = sums_over_axes(view, values[source.index], values[view["axis"].index])
    multiplier, shift = quantize_multiplier(source.scale / result.scale)
    return requantized_sums(view, sums, multiplier=multiplier, shift=shift)


def oracle_of_plain(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The same of plain numbers; integers wrap."""
    dtype = values[view["input"].index].dtype
    return over_axes(view, values, np.add, start=dtype.type(0))
