"""MEAN: the mean of the values along some axes.

The multiplier of the sum also divides by the number of values.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from tinyml_rules.arithmetic.fixed_point import quantize_multiplier
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared import quantized_sums
from tinyml_rules.ops._shared.in_numpy import over_axes, requantized_sums, sums_over_axes
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.plain_reduction import joined, meanings
from tinyml_rules.ops._shared.quantization import QuantizationRule
from tinyml_rules.ops._shared.reduction import Attrs, Totals, channels


def multiplier_of(view: NodeView, cells: int) -> tuple[int, int]:
    """(multiplier, shift) of the sum of so many values: `QuantizedMeanOrSum` of TFLM, which
    truncates the divided multiplier, and keeps as many of its bits as the shift has room for."""
    multiplier, shift = quantize_multiplier(view["input"].scale / view.output.scale)
    left = min(cells.bit_length() - 1, 32, 31 + shift)
    return (multiplier << left) // cells, shift - left


def plain_totals(dtype: DType) -> Totals:
    """Sums of 64 bits, or of float32, which are divided at the end."""
    cells = "params->cells"
    if dtype.is_real:
        return joined(dtype, "+", start="0", result=f"{{total}} / (float){cells}")
    return joined(dtype, "+", start="0", total=DType.INT64, result=f"{{total}} / {cells}")


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    source, result = view["input"], view.output
    sums, cells = sums_over_axes(view, values[source.index], values[view["axis"].index])
    multiplier, shift = quantize_multiplier(source.scale / result.scale)
    bits = min(math.floor(math.log2(cells)), 32, 31 + shift)
    divided = multiplier * 2**bits // cells
    return requantized_sums(view, sums, multiplier=divided, shift=shift - bits)


def oracle_of_plain(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The same of unquantized values: a sum of 64 bits, or of float32, divided; integers are
    truncated towards zero."""
    source, result = values[view["input"].index], view.output
    is_real = source.dtype.kind == "f"
    start = np.float32(0) if is_real else np.int64(0)
    sums: Any = over_axes(view, values, lambda total, each: total + each, start=start)
    cells = source.size // result.count
    with np.errstate(over="ignore", invalid="ignore"):
        means = sums / np.float32(cells) if is_real else (sums - np.fmod(sums, cells)) // cells
    return np.asarray(means).astype(source.dtype)


OP = Op(
    name="mean",
    builtin_code=40,
    options_type=27,
    attrs=Attrs,
    inputs=("input", "axis"),
    summary="int8, uint8, int16, int32, int64, float32; any axes, constants; keep_dims",
    channels=channels,
    meanings=(
        *quantized_sums.meanings("mean", multiplier_of, oracle),
        *meanings("mean", plain_totals, oracle_of_plain, (DType.INT32, DType.INT64, DType.FLOAT32)),
    ),
    quantization=QuantizationRule(int16_version=3),
)
