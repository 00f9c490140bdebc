"""FILL: what may be wrong with a node, and where its elements come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.moving import ints, moved, numbers


def check(view: NodeView) -> Iterator[str]:
    """Constant dimensions, and a value."""
    dimensions, value, result = view.input(0), view.input(1), view.output
    yield from moved((value,), (result,))
    yield from constraints.shaped(value, (), role="value")
    wrong = list(numbers(dimensions, "dimensions", DType.INT32, DType.INT64))
    yield from wrong or constraints.shaped(result, ints(dimensions))


def layout(view: NodeView) -> tuple[Place]:
    """The same element again and again."""
    result, value = view.output, view.input(1)
    return (Place(result.index, (result.count,), (0,), (1,), source=value.index),)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """numpy's own."""
    shape = values[view.input(0).index].reshape(-1).tolist()
    value = values[view.input(1).index]
    return np.full(shape, value, value.dtype)
