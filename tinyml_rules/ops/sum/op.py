"""SUM: the multiplier of its sums."""

from __future__ import annotations

from tinyml_rules.arithmetic.fixed_point import quantize_multiplier
from tinyml_rules.ir.graph import NodeView


def multiplier_of(view: NodeView, _cells: int) -> tuple[int, int]:
    """(multiplier, shift): the quotient of the scales in double."""
    return quantize_multiplier(view.input(0).scale / view.output.scale)
