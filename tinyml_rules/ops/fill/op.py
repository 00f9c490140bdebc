"""FILL: what may be wrong with a node, and where its elements come from."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.moving import ints
from tinyml_rules.ops._shared.operands import alike, movable, numbers

OPERANDS = {
    "dimensions": numbers(DType.INT32, DType.INT64),
    "value": movable(shape=lambda _view: ()),
    "output": alike("value", shape=lambda view: ints(view["dimensions"])),
}


def layout(view: NodeView) -> tuple[Place]:
    """The same element again and again."""
    result, value = view.output, view["value"]
    return (Place(result.index, (result.count,), (0,), (1,), source=value.index),)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """numpy's own."""
    shape = values[view["dimensions"].index].reshape(-1).tolist()
    value = values[view["value"].index]
    return np.full(shape, value, value.dtype)
