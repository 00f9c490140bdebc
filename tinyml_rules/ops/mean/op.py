"""MEAN: the multiplier of its sums, which divides them too."""

from __future__ import annotations

from tinyml_rules.arithmetic.fixed_point import quantize_multiplier
from tinyml_rules.ir.graph import NodeView


def multiplier_of(view: NodeView, cells: int) -> tuple[int, int]:
    """(multiplier, shift) of the sum of so many values: `QuantizedMeanOrSum` of TFLM, which cuts
    the divided multiplier off, and keeps as many of its bits as the shift has room for."""
    multiplier, shift = quantize_multiplier(view.input(0).scale / view.output.scale)
    left = min(cells.bit_length() - 1, 32, 31 + shift)
    return (multiplier << left) // cells, shift - left
