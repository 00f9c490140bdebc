"""Elements that change their place and nothing else: how a layout operator says which, and the one
kernel that copies them where no layout of the tensors in memory makes that unnecessary."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, Tensor
from tinyml_rules.ir.program import Form, Kernel, Work

MOST_DIMENSIONS = 8
"""Of a tensor that is read; an operator may need two more to say what it moves."""
_REAL = "float"
"""C's rules of aliasing set it apart; all other types are moved as integers of their size."""


@dataclass(frozen=True, eq=False)
class CopyParams:
    """Members of the C struct: elements along each dimension, and how far apart they lie."""

    sizes: Array
    source_steps: Array
    target_steps: Array
    rank: Int
    source_offset: Int
    target_offset: Int


@dataclass(frozen=True, eq=False)
class ConstantCopyParams(CopyParams):
    """The same with the values themselves."""

    values: Array


def dense_steps(shape: Sequence[int]) -> tuple[int, ...]:
    """How far apart the elements of a tensor of this shape lie along each dimension."""
    return tuple(math.prod(shape[place + 1 :]) for place in range(len(shape)))


def same_elements(source: Tensor, target: Tensor) -> Place:
    """All elements of one tensor in their order, to another of any shape."""
    return Place(
        target=target.index,
        shape=(source.count,),
        source=source.index,
        source_steps=(1,),
        target_steps=(1,),
    )


def part(whole: Tensor, inner: Tensor, *, offset: int, steps: Sequence[int]) -> Place:
    """All elements of `inner`, taken from `whole`: from element `offset` on, so far apart along
    each of its dimensions."""
    return Place(
        target=inner.index,
        shape=inner.shape,
        source=whole.index,
        source_offset=offset,
        source_steps=tuple(steps),
        target_steps=dense_steps(inner.shape),
    )


def slice_of(whole: Tensor, inner: Tensor, *, starts: Sequence[int]) -> Place:
    """All elements of `inner`, taken from those side by side in `whole` from `starts` on."""
    steps = dense_steps(whole.shape)
    offset = sum(start * step for start, step in zip(starts, steps, strict=True))
    return part(whole, inner, offset=offset, steps=steps)


def merged(place: Place) -> Place:
    """The same copy in as few dimensions as it takes."""
    dimensions = merged_dimensions(place.shape, place.source_steps, place.target_steps)
    shape, sources, targets = zip(*dimensions, strict=True)
    return replace(place, shape=shape, source_steps=sources, target_steps=targets)


def merged_dimensions(shape: Sequence[int], *walks: Sequence[int]) -> list[tuple[int, ...]]:
    """(size, step of each walk) of each dimension, in as few dimensions as it takes."""
    dimensions: list[tuple[int, ...]] = []
    for size, *steps in zip(shape, *walks, strict=True):
        if size == 1:
            continue
        if dimensions:
            outer, *outer_steps = dimensions[-1]
            if outer_steps == [step * size for step in steps]:
                dimensions[-1] = (outer * size, *steps)
                continue
        dimensions.append((size, *steps))
    return dimensions or [(1,) * (1 + len(walks))]


def run_of(place: Place) -> int | None:
    """How many elements side by side in the source a copy takes, in order, to as many side by side
    in the target; None for any other."""
    small = merged(place)
    is_run = len(small.shape) == 1 and small.source_steps == small.target_steps == (1,)
    return small.shape[0] if is_run else None


def copy_work(place: Place, dtype: DType) -> tuple[Work, Kernel]:
    """A copy of elements of a type, and its kernel."""
    small = merged(place)
    params = CopyParams(
        sizes=np.array(small.shape, np.int32),
        source_steps=np.array(small.source_steps, np.int32),
        target_steps=np.array(small.target_steps, np.int32),
        rank=len(small.shape),
        source_offset=small.source_offset,
        target_offset=small.target_offset,
    )
    if place.values is not None:
        kind = f"{'f' if dtype.c_type == _REAL else 'i'}{dtype.size_bytes}"
        values = np.ascontiguousarray(place.values).view(kind)
        params = ConstantCopyParams(**vars(params), values=values)
    inputs = () if place.source is None else (place.source,)
    work = Work(params=params, inputs=inputs, outputs=(place.target,))
    return work, _copy_kernel(dtype, is_constant=place.values is not None)


def _copy_kernel(dtype: DType, *, is_constant: bool) -> Kernel:
    """The kernel for elements of a type."""
    kind = "constant" if is_constant else "elements"
    is_real = dtype.c_type == _REAL
    integer = f"int{8 * dtype.size_bytes}_t"
    return Kernel(
        name=f"copy_{kind}_{_REAL if is_real else 8 * dtype.size_bytes}",
        template=Path(__file__).parent / "kernels" / "copy.c.j2",
        form=Form.WHOLE,
        values={
            "element": _REAL if is_real else integer,
            "is_constant": is_constant,
            "most_dimensions": MOST_DIMENSIONS + 2,
        },
    )
