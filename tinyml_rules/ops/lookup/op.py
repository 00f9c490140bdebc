"""LOOKUP: input 0 has the values, input 1 the results, a constant in the order of the bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared.pointwise import map_work


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct: the result for each byte, which may stand for a number below 0."""

    table: Array


def check(_view: NodeView) -> Iterator[str]:
    """Nothing: passes make it right."""
    yield from ()


def prepare(view: NodeView) -> Work:
    """One unit is one value."""
    table = view.input(1).data
    assert table is not None
    return map_work(view, Params(np.ascontiguousarray(table).view(np.int8)))


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    # a copy in C order; ascontiguousarray would make a scalar an array of rank 1
    source = np.array(values[view.input(0).index], order="C").view(np.uint8)
    return values[view.input(1).index][source]
