"""Axes that a constant operand names: those of a reduction, or the one of a search along an
axis."""

from __future__ import annotations

from collections.abc import Iterator

from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ops._shared.moving import ints


def check_axes(view: NodeView) -> Iterator[str]:
    """Each of the constant numbers is an axis of the input."""
    source, axes = view["input"], ints(view["axis"])
    rank = len(source.shape)
    outside = [axis for axis in axes if not -rank <= axis < rank]
    if outside:
        yield f"axis {outside[0]} of input tensor {source}, which has {rank} dimensions"


def axes_of(view: NodeView) -> tuple[int, ...]:
    """The axes of a checked node, each once, in their order, counted from the first dimension."""
    data, rank = view["axis"].data, len(view["input"].shape)
    assert data is not None
    return tuple(sorted({int(axis) % rank for axis in data.reshape(-1).tolist()}))
