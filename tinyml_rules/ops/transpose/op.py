"""TRANSPOSE: what may be wrong with a node, and where each element goes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.moves import dense_steps
from tinyml_rules.ops._shared.moving import ints, moved, numbers


def check(view: NodeView) -> Iterator[str]:
    """A constant order that names every axis once."""
    source, order, result = view.input(0), view.input(1), view.output
    yield from moved((source,), (result,))
    wrong = list(numbers(order, "order"))
    yield from wrong
    if wrong:
        return
    axes = ints(order)
    if sorted(axes) != list(range(len(source.shape))):
        expected = f"each of the {len(source.shape)} dimensions once"
        yield f"order tensor {order} is {list(axes)}, expected {expected}"
    else:
        yield from constraints.shaped(result, tuple(source.shape[axis] for axis in axes))


def layout(view: NodeView) -> tuple[Place, ...]:
    """In the order of the output."""
    source, result = view.input(0), view.output
    steps = dense_steps(source.shape)
    place = Place(
        target=result.index,
        shape=result.shape,
        source=source.index,
        source_steps=tuple(steps[axis] for axis in ints(view.input(1))),
        target_steps=dense_steps(result.shape),
    )
    return (place,)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """numpy's own."""
    order = values[view.input(1).index].tolist()
    return np.ascontiguousarray(np.transpose(values[view.input(0).index], order))
