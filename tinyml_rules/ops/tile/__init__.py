"""TILE: a tensor repeated along each dimension."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.choosing import chosen
from tinyml_rules.ops._shared.moving import ints
from tinyml_rules.ops._shared.operands import alike, movable, numbers, rank_of
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES


def _result_shape(view: NodeView) -> tuple[int, ...]:
    pairs = zip(view["input"].shape, ints(view["multiples"]), strict=True)
    return tuple(size * times for size, times in pairs)


OPERANDS = {
    "input": movable(),
    "multiples": numbers(DType.INT32, DType.INT64, shape=rank_of("input")),
    "output": alike("input", shape=_result_shape),
}


def layout(view: NodeView) -> tuple[Place, ...]:
    """Every place so many times, one walk behind the other."""
    source = view["input"]
    pairs = zip(source.shape, ints(view["multiples"]), strict=True)
    return chosen(source, view.output, [[*range(size)] * times for size, times in pairs])


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """numpy's own."""
    return np.tile(values[view["input"].index], values[view["multiples"].index].tolist())


OP = Op(
    name="tile",
    builtin_code=69,
    options_type=51,
    inputs=("input", "multiples"),
    summary="any type; constant multiples",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, oracle=oracle),),
    quantization=MOVES,
)
