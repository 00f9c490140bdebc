"""FILL: one value in every element of a tensor."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.moving import ints
from tinyml_rules.ops._shared.operands import alike, movable, numbers
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import moves

OPERANDS = {
    "dimensions": numbers(DType.INT32, DType.INT64),
    "value": movable(shape=lambda _view: ()),
    "output": alike("value", shape=lambda view: ints(view["dimensions"])),
}


def layout(view: NodeView) -> tuple[Place]:
    """One element, repeated."""
    result, value = view.output, view["value"]
    return (Place(result.index, (result.count,), (0,), (1,), source=value.index),)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """numpy's own."""
    shape = values[view["dimensions"].index].reshape(-1).tolist()
    value = values[view["value"].index]
    return np.full(shape, value, value.dtype)


OP = Op(
    name="fill",
    builtin_code=94,
    options_type=68,
    inputs=("dimensions", "value"),
    summary="any type; constant dimensions; a constant where the value is one",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, oracle=oracle),),
    quantization=moves(int16_version=3),
)
