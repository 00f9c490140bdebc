"""PADV2: a border of a given value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.border import (
    BORDER,
    border_places,
    channels,
    check_border,
    pads_of,
    zero_of,
)
from tinyml_rules.ops._shared.operands import alike
from tinyml_rules.ops._shared.operator import Meaning, Op, Pads, Role
from tinyml_rules.ops._shared.quantization import moves

OPERANDS = {**BORDER, "value": alike("output", count=1)}


def layout(view: NodeView) -> Iterable[Place]:
    """The border, then the input."""
    return border_places(view, view["value"])


def border(view: NodeView) -> Pads | None:
    """The border, if its value means 0."""
    value = view["value"]
    if value.data is None or value.data.reshape(()) != zero_of(view.output):
        return None
    return pads_of(view)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """numpy's own."""
    source, value = values[view["input"].index], values[view["value"].index]
    pairs = values[view["paddings"].index].tolist()
    return np.pad(source, pairs, constant_values=value.reshape(()))


OP = Op(
    name="padv2",
    builtin_code=60,
    options_type=43,
    inputs=("input", "paddings", "value"),
    summary="any type; constant paddings; the value constant or computed",
    role=Role.LAYOUT,
    channels=channels,
    layout=layout,
    border=border,
    meanings=(Meaning(operands=OPERANDS, check=check_border, oracle=oracle),),
    quantization=moves(int16_version=3),
)
