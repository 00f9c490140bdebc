"""The places of elements that are only moved, as a layout operator declares them.

`copies.py` has the kernels that copy them if no layout of tensors in memory makes that
unnecessary."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from tinyml_rules.ir.buffers import Place, Start
from tinyml_rules.ir.graph import Tensor


def dense_steps(shape: Sequence[int]) -> tuple[int, ...]:
    """Distance of neighbouring elements of a tensor of this shape along each dimension, in
    elements."""
    return tuple(math.prod(shape[place + 1 :]) for place in range(len(shape)))


def same_elements(source: Tensor, target: Tensor) -> Place:
    """All elements of one tensor, in their order, to a tensor of any shape."""
    return Place(
        target=target.index,
        shape=(source.count,),
        source=source.index,
        source_steps=(1,),
        target_steps=(1,),
    )


def part(whole: Tensor, inner: Tensor, *, offset: int, steps: Sequence[int]) -> Place:
    """All elements of `inner`, taken from `whole`: from element `offset` on, with these steps along
    its dimensions."""
    return Place(
        target=inner.index,
        shape=inner.shape,
        source=whole.index,
        source_offset=offset,
        source_steps=tuple(steps),
        target_steps=dense_steps(inner.shape),
    )


def slice_of(whole: Tensor, inner: Tensor, *, starts: Sequence[int]) -> Place:
    """All elements of `inner`, a block of `whole` that begins at `starts`."""
    steps = dense_steps(whole.shape)
    offset = sum(start * step for start, step in zip(starts, steps, strict=True))
    return part(whole, inner, offset=offset, steps=steps)


def parts_along(whole: Tensor, parts: Iterable[Tensor], *, axis: int) -> Iterator[Place]:
    """Each of the parts, one after the other along an axis of the whole."""
    starts = [0] * len(whole.shape)
    for each in parts:
        yield slice_of(whole, each, starts=starts)
        starts[axis] += each.shape[axis]


def moved_part(whole: Tensor, inner: Tensor, begin: Tensor) -> Place:
    """The same from `begin` on, a computed tensor; a begin from which the block would leave the
    whole is clamped."""
    limits = (size - count for size, count in zip(whole.shape, inner.shape, strict=True))
    steps = dense_steps(whole.shape)
    start = Start(begin.index, begin.dtype, tuple(limits), steps)
    return replace(part(whole, inner, offset=0, steps=steps), start=start)


def merged(place: Place) -> Place:
    """The same copy, by steps, in the fewest dimensions."""
    dimensions = merged_dimensions(place.shape, place.source_steps, place.target_steps)
    shape, sources, targets = zip(*dimensions, strict=True)
    return replace(place, shape=shape, source_steps=sources, target_steps=targets)


def merged_dimensions(shape: Sequence[int], *walks: Sequence[int]) -> list[tuple[int, ...]]:
    """(size, step of each walk) of each dimension, in the fewest dimensions."""
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
    """The number of adjacent elements that a copy moves, in order, to adjacent places, if it
    consists of equal runs; None for any other copy."""
    if place.source_lists or place.start is not None:
        return None
    small = merged(place)
    is_run = len(small.shape) == 1 and small.source_steps == small.target_steps == (1,)
    return small.shape[0] if is_run else None
