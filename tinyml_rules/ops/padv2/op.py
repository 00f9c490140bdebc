"""PADV2: what may be wrong with a node, where its cells lie, and its meaning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.border import border_places, check_border, pads_of, zero_of
from tinyml_rules.ops._shared.moving import alike
from tinyml_rules.ops._shared.operator import Pads


def check(view: NodeView) -> Iterator[str]:
    """One value like those of the output."""
    value = view.input(2)
    yield from check_border(view)
    yield from alike(value, "value", view.output, "output")
    if value.count != 1:
        yield f"value tensor {value} has {value.count} values, expected 1"


def layout(view: NodeView) -> Iterable[Place]:
    """The value around, then the input."""
    return border_places(view, view.input(2))


def border(view: NodeView) -> Pads | None:
    """Where the value means 0."""
    value = view.input(2)
    if value.data is None or value.data.reshape(()) != zero_of(view.output):
        return None
    return pads_of(view)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """numpy's own."""
    source, value = values[view.input(0).index], values[view.input(2).index]
    pairs = values[view.input(1).index].tolist()
    return np.pad(source, pairs, constant_values=value.reshape(()))
