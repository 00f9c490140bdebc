"""BROADCAST_TO: elements repeated along dimensions of 1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.moves import dense_steps
from tinyml_rules.ops._shared.moving import ints
from tinyml_rules.ops._shared.operands import alike, movable, numbers
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import moves

OPERANDS = {
    "input": movable(),
    "shape": numbers(DType.INT32, DType.INT64),
    "output": alike("input", shape=lambda view: ints(view["shape"])),
}


def check(view: NodeView) -> Iterator[str]:
    """The input's shape broadcasts to the constant one."""
    source, sizes = view["input"], ints(view["shape"])
    pairs = zip(reversed(source.shape), reversed(sizes), strict=False)
    if len(source.shape) > len(sizes) or any(size not in (1, wanted) for size, wanted in pairs):
        yield f"input tensor {source}, {list(source.shape)}, does not broadcast to {list(sizes)}"


def layout(view: NodeView) -> tuple[Place]:
    """A copy with steps of 0 along repeated dimensions."""
    source, result = view["input"], view.output
    missing = len(result.shape) - len(source.shape)
    rows = zip(source.shape, dense_steps(source.shape), strict=True)
    steps = (0,) * missing + tuple(0 if size == 1 else step for size, step in rows)
    return (
        Place(result.index, result.shape, steps, dense_steps(result.shape), source=source.index),
    )


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """numpy's own."""
    shape = values[view["shape"].index].reshape(-1).tolist()
    return np.ascontiguousarray(np.broadcast_to(values[view["input"].index], shape))


OP = Op(
    name="broadcast_to",
    builtin_code=130,
    options_type=104,
    inputs=("input", "shape"),
    summary="any type; constant shape",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
    quantization=moves(int16_version=3),
)
