"""SPACE_TO_DEPTH: what may be wrong with a node, and where its cells go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.depth import BlockAttrs as Attrs
from tinyml_rules.ops._shared.depth import check_depth, depth_place


def check(view: NodeView) -> Iterator[str]:
    """Whole blocks, and the shape that follows."""
    return check_depth(view, flat=view["input"], deep=view.output)


def layout(view: NodeView) -> tuple[Place]:
    """One copy."""
    return (depth_place(view, flat=view["input"], deep=view.output),)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """Every n-th row and column of a block offset, side by side as channels."""
    attrs, source = view.node.attrs, values[view["input"].index]
    assert isinstance(attrs, Attrs)
    size = attrs.size
    offsets = np.ndindex(size, size)
    return np.concatenate([source[:, y::size, x::size] for y, x in offsets], axis=-1)
