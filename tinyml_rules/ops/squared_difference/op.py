"""SQUARED_DIFFERENCE of int8: what may be wrong with a node, and its constants.

Both inputs are brought to a common scale, twice the larger one, 7 bits up; the square of their
difference is brought to the output's scale.
"""

from __future__ import annotations

from collections.abc import Iterator

from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ops._shared.broadcast import check_broadcast, constant_last
from tinyml_rules.ops._shared.common_scale import CommonScale, common_scale

LEFT_SHIFT = 7
MOST_FACTOR = 2.0
"""Every square, at most 32640 * 32640, stays in int32."""


def check(view: NodeView) -> Iterator[str]:
    """Shapes that broadcast to the output's."""
    yield from check_broadcast(view)
    if _factor(view) >= MOST_FACTOR:
        yield (
            f"output tensor {view.output} has scale {view.output.scale:g}, too small for the "
            "square of its inputs' difference"
        )


def _factor(view: NodeView) -> float:
    """From the scale of the squares to the output's."""
    common = 2 * max(view["first input"].scale, view["second input"].scale)
    return common * common / (2.0 ** (2 * LEFT_SHIFT) * view.output.scale)


def params_of(view: NodeView) -> CommonScale:
    """Everything that does not depend on the input's values; `PrepareQuantized` of TFLM."""
    return common_scale(constant_last(view), view.output, _factor(view))
