"""PAD: a border of zeros.  8-bit cells of it hold the output's zero point."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.border import BORDER, border_places, channels, check_border, pads_of
from tinyml_rules.ops._shared.operator import Meaning, Op, Pads, Role
from tinyml_rules.ops._shared.quantization import moves


def layout(view: NodeView) -> Iterable[Place]:
    """The border, then the input."""
    return border_places(view, None)


def border(view: NodeView) -> Pads:
    """The whole operator is a border."""
    return pads_of(view)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """numpy's own."""
    source, result = values[view["input"].index], view.output
    is_byte = result.dtype.size_bytes == 1 and result.quantization is not None
    fill = result.zero_point if is_byte else 0
    pairs = values[view["paddings"].index].tolist()
    return np.pad(source, pairs, constant_values=fill)


OP = Op(
    name="pad",
    builtin_code=34,
    options_type=22,
    inputs=("input", "paddings"),
    summary="any type; constant paddings; free before a convolution that pads instead",
    role=Role.LAYOUT,
    channels=channels,
    layout=layout,
    border=border,
    meanings=(Meaning(operands=BORDER, check=check_border, oracle=oracle),),
    quantization=moves(int16_version=3),
)
