"""What operators that only move elements share: types, axes, and operands that say where."""

from __future__ import annotations

from collections.abc import Iterator

from tinyml_rules.ir.graph import Tensor


def plain_axis(axis: int, rank: int) -> int:
    """The axis counted from the first; a negative one counts from the last."""
    return axis + rank if axis < 0 else axis


def check_axis(axis: int, rank: int) -> Iterator[str]:
    """The axis is one of a tensor with so many dimensions."""
    if not -rank <= axis < rank:
        yield f"axis {axis}, expected one of {rank} dimensions"


def ints(tensor: Tensor) -> tuple[int, ...]:
    """The values of a checked constant, in their order."""
    assert tensor.data is not None
    return tuple(int(value) for value in tensor.data.reshape(-1).tolist())
