"""TANH of int8: what may be wrong with a node."""

from __future__ import annotations

from collections.abc import Iterator

from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.pointwise import check_map

OUTPUT_SCALE = 1 / 128
OUTPUT_ZERO_POINT = 0


def check(view: NodeView) -> Iterator[str]:
    """int8; the output is quantized as the 8-bit specification says.

    TFLM takes it to be so."""
    problems = list(check_map(view))
    yield from problems or constraints.fixed_quantization(
        view.output, scale=OUTPUT_SCALE, zero_point=OUTPUT_ZERO_POINT
    )
