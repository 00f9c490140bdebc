"""EXPAND_DIMS: what may be wrong with a node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.moving import check_axis, ints, plain_axis
from tinyml_rules.ops._shared.operands import alike, movable, numbers


def check(view: NodeView) -> Iterator[str]:
    """The axis is one of the output's."""
    yield from check_axis(ints(view["axis"])[0], len(view["input"].shape) + 1)


def _result_shape(view: NodeView) -> tuple[int, ...]:
    shape = view["input"].shape
    place = plain_axis(ints(view["axis"])[0], len(shape) + 1)
    return (*shape[:place], 1, *shape[place:])


OPERANDS = {
    "input": movable(),
    "axis": numbers(DType.INT32, DType.INT64, count=1),
    "output": alike("input", shape=_result_shape),
}


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """numpy's own."""
    return np.expand_dims(values[view["input"].index], int(values[view["axis"].index].reshape(())))
