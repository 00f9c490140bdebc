"""EXPAND_DIMS: what may be wrong with a node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.moving import check_axis, ints, moved, one_number, plain_axis


def check(view: NodeView) -> Iterator[str]:
    """A constant axis, and the shape that follows from it."""
    source, axis, result = view.input(0), view.input(1), view.output
    yield from moved((source,), (result,))
    rank = len(source.shape) + 1
    wrong = list(one_number(axis, "axis", DType.INT32, DType.INT64))
    wrong = wrong or list(check_axis(ints(axis)[0], rank))
    yield from wrong
    if not wrong:
        place = plain_axis(ints(axis)[0], rank)
        yield from constraints.shaped(result, (*source.shape[:place], 1, *source.shape[place:]))


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """numpy's own."""
    return np.expand_dims(values[view.input(0).index], int(values[view.input(1).index].reshape(())))
