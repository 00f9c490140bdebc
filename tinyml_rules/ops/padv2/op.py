"""PADV2: what may be wrong with a node, where its cells lie, and its meaning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.border import BORDER, border_places, pads_of, zero_of
from tinyml_rules.ops._shared.operands import alike
from tinyml_rules.ops._shared.operator import Pads

OPERANDS = {**BORDER, "value": alike("output", count=1)}


def layout(view: NodeView) -> Iterable[Place]:
    """The value around, then the input."""
    return border_places(view, view["value"])


def border(view: NodeView) -> Pads | None:
    """Where the value means 0."""
    value = view["value"]
    if value.data is None or value.data.reshape(()) != zero_of(view.output):
        return None
    return pads_of(view)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """numpy's own."""
    source, value = values[view["input"].index], values[view["value"].index]
    pairs = values[view["paddings"].index].tolist()
    return np.pad(source, pairs, constant_values=value.reshape(()))
