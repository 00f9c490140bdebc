"""TRANSPOSE: the dimensions in another order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.moves import dense_steps
from tinyml_rules.ops._shared.moving import ints
from tinyml_rules.ops._shared.operands import alike, movable, numbers
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import moves


def check(view: NodeView) -> Iterator[str]:
    """The order names every axis once."""
    order, rank = view["order"], len(view["input"].shape)
    if sorted(ints(order)) != list(range(rank)):
        expected = f"each of the {rank} dimensions once"
        yield f"order tensor {order} is {list(ints(order))}, expected {expected}"


OPERANDS = {
    "input": movable(),
    "order": numbers(),
    "output": alike(
        "input",
        shape=lambda view: tuple(view["input"].shape[axis] for axis in ints(view["order"])),
    ),
}


def layout(view: NodeView) -> tuple[Place, ...]:
    """In the order of the output."""
    source, result = view["input"], view.output
    steps = dense_steps(source.shape)
    place = Place(
        target=result.index,
        shape=result.shape,
        source=source.index,
        source_steps=tuple(steps[axis] for axis in ints(view["order"])),
        target_steps=dense_steps(result.shape),
    )
    return (place,)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """numpy's own."""
    order = values[view["order"].index].tolist()
    return np.ascontiguousarray(np.transpose(values[view["input"].index], order))


OP = Op(
    name="transpose",
    builtin_code=39,
    options_type=26,
    inputs=("input", "order"),
    summary="any type; any order of the axes, a constant; free if only axes of 1 move",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
    quantization=moves(int16_version=5),
)
