"""MEAN: the multiplier of its sums, which divides them too; and the sums of plain numbers."""

from __future__ import annotations

from tinyml_rules.arithmetic.fixed_point import quantize_multiplier
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ops._shared.plain_reduction import joined
from tinyml_rules.ops._shared.reduction import Totals


def multiplier_of(view: NodeView, cells: int) -> tuple[int, int]:
    """(multiplier, shift) of the sum of so many values: `QuantizedMeanOrSum` of TFLM, which cuts
    the divided multiplier off, and keeps as many of its bits as the shift has room for."""
    multiplier, shift = quantize_multiplier(view["input"].scale / view.output.scale)
    left = min(cells.bit_length() - 1, 32, 31 + shift)
    return (multiplier << left) // cells, shift - left


def plain_totals(dtype: DType) -> Totals:
    """Sums of 64 bits, or of real numbers, that are divided last."""
    cells = "params->cells"
    if dtype.is_real:
        return joined(dtype, "+", start="0", result=f"{{total}} / (float){cells}")
    return joined(dtype, "+", start="0", total=DType.INT64, result=f"{{total}} / {cells}")
