"""DEPTH_TO_SPACE: what may be wrong with a node, and where its cells go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.depth import BlockAttrs as Attrs
from tinyml_rules.ops._shared.depth import check_depth, depth_place


def check(view: NodeView) -> Iterator[str]:
    """An image of whole blocks, and the shape that follows."""
    return check_depth(view, flat=view.output, deep=view["input"])


def layout(view: NodeView) -> tuple[Place]:
    """One copy."""
    return (depth_place(view, flat=view.output, deep=view["input"]).turned,)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The channels of a block offset to every n-th row and column."""
    attrs, source = view.node.attrs, values[view["input"].index]
    assert isinstance(attrs, Attrs)
    size, found = attrs.size, np.zeros(view.output.shape, source.dtype)
    parts = np.split(source, size**2, axis=-1)
    for part, (y, x) in zip(parts, np.ndindex(size, size), strict=True):
        found[:, y::size, x::size] = part
    return found
