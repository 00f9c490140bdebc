"""TILE: what may be wrong with a node, and where its elements come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.choosing import chosen
from tinyml_rules.ops._shared.moving import ints, moved, numbers, vector


def check(view: NodeView) -> Iterator[str]:
    """A constant multiple for each dimension."""
    source, multiples, result = view.input(0), view.input(1), view.output
    yield from moved((source,), (result,))
    wrong = list(numbers(multiples, "multiples", DType.INT32, DType.INT64))
    wrong = wrong or list(vector(multiples, "multiples", len(source.shape)))
    yield from wrong
    if not wrong:
        pairs = zip(source.shape, ints(multiples), strict=True)
        yield from constraints.shaped(result, tuple(size * times for size, times in pairs))


def layout(view: NodeView) -> tuple[Place, ...]:
    """Every place so many times, one walk behind the other."""
    source = view.input(0)
    pairs = zip(source.shape, ints(view.input(1)), strict=True)
    return chosen(source, view.output, [[*range(size)] * times for size, times in pairs])


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """numpy's own."""
    return np.tile(values[view.input(0).index], values[view.input(1).index].tolist())
