"""EXPAND_DIMS: the same bytes with one more dimension of 1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.moving import check_axis, ints, plain_axis
from tinyml_rules.ops._shared.operands import alike, movable, numbers
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES_FIRST_VERSION
from tinyml_rules.ops._shared.views import layout


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


OP = Op(
    name="expand_dims",
    builtin_code=70,
    options_type=52,
    inputs=("input", "axis"),
    summary="any type; any axis, a constant; free",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
    quantization=MOVES_FIRST_VERSION,
)
