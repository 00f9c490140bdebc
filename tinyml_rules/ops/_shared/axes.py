"""Axes that a constant operand names: those of a reduction, or the one of a search."""

from __future__ import annotations

from collections.abc import Iterator

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ops._shared import constraints


def check_axes(view: NodeView, *, is_single: bool = False) -> Iterator[str]:
    """The second input is a constant of int32 numbers, each of them an axis of the first."""
    source, tensor = view.input(0), view.input(1)
    wrong = list(constraints.typed(tensor, "axis", DType.INT32))
    yield from wrong
    if wrong:
        return
    if tensor.data is None:
        yield f"axis tensor {tensor} is computed at run time, expected a constant"
        return
    if is_single and tensor.count != 1:
        yield f"axis tensor {tensor} has {tensor.count} values, expected 1"
    rank = len(source.shape)
    outside = [axis for axis in tensor.data.reshape(-1).tolist() if not -rank <= axis < rank]
    if outside:
        yield f"axis {outside[0]} of input tensor {source}, which has {rank} dimensions"


def axes_of(view: NodeView) -> tuple[int, ...]:
    """The axes of a checked node, each once, in their order, counted from the first dimension."""
    data, rank = view.input(1).data, len(view.input(0).shape)
    assert data is not None
    return tuple(sorted({int(axis) % rank for axis in data.reshape(-1).tolist()}))
