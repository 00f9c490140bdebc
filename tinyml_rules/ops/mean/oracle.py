"""MEAN in numpy: a sum whose multiplier is divided by the number of its values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from tinyml_rules.arithmetic.fixed_point import quantize_multiplier
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.in_numpy import over_axes, requantized_sums, sums_over_axes


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    source, result = view["input"], view.output
    sums, cells = sums_over_axes(view, values[source.index], values[view["axis"].index])
    multiplier, shift = quantize_multiplier(source.scale / result.scale)
    bits = min(math.floor(math.log2(cells)), 32, 31 + shift)
    divided = multiplier * 2**bits // cells
    return requantized_sums(view, sums, multiplier=divided, shift=shift - bits)


def oracle_of_plain(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The same of plain numbers: a sum of 64 bits, or of real numbers, divided; an integer is cut
    off towards zero."""
    source, result = values[view["input"].index], view.output
    is_real = source.dtype.kind == "f"
    start = np.float32(0) if is_real else np.int64(0)
    sums: Any = over_axes(view, values, lambda total, each: total + each, start=start)
    cells = source.size // result.count
    with np.errstate(over="ignore", invalid="ignore"):
        means = sums / np.float32(cells) if is_real else (sums - np.fmod(sums, cells)) // cells
    return np.asarray(means).astype(source.dtype)
