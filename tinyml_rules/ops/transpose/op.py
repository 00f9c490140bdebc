"""TRANSPOSE: what may be wrong with a node, and where each element goes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.moves import dense_steps
from tinyml_rules.ops._shared.moving import ints
from tinyml_rules.ops._shared.operands import alike, movable, numbers


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
