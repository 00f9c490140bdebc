"""NEG of int8: what may be wrong with a node.

LiteRT negates the numbers as they are, which is the negative only of such as have a zero point of
0, and one scale.
"""

from __future__ import annotations

from collections.abc import Iterator

from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.pointwise import check_map


def check(view: NodeView) -> Iterator[str]:
    """int8 input and output of the same shape, quantized alike with zero point 0."""
    problems = list(check_map(view))
    yield from problems or constraints.same_quantization(view)
    if not problems and view.input(0).zero_point:
        yield f"input tensor {view.input(0)} has zero point {view.input(0).zero_point}, expected 0"
