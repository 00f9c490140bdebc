"""STRIDED_SLICE: options, what may be wrong with a node, and where its elements come from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.moves import dense_steps
from tinyml_rules.ops._shared.moving import ints, moved, numbers

OPERANDS = ("begin", "end", "strides")
"""The inputs from the second on: a value for each dimension."""


@dataclass(frozen=True)
class Attrs:
    """StridedSliceOptions; bit i of a mask is for dimension i."""

    begin_mask: int = option(0, "int32")
    end_mask: int = option(1, "int32")
    ellipsis_mask: int = option(2, "int32")
    new_axis_mask: int = option(3, "int32")
    shrink_axis_mask: int = option(4, "int32")
    offset: bool = option(5, "bool", default=False)


@dataclass(frozen=True)
class Run:
    """What is taken along one dimension."""

    first: int
    step: int
    count: int
    is_shrunk: bool


def check(view: NodeView) -> Iterator[str]:
    """Constants for every dimension, and the shape that follows from them."""
    attrs, source = view.node.attrs, view.input(0)
    assert isinstance(attrs, Attrs)
    yield from moved((source,), (view.output,))
    for name, mask in (("ellipsis", attrs.ellipsis_mask), ("new axis", attrs.new_axis_mask)):
        if mask:
            yield f"{name} mask {mask}, expected 0"
    if attrs.offset:
        yield "ends are counted from the begins, which is not supported"
    wrong = list(_wrong_operands(view))
    yield from wrong
    if wrong:
        return
    for dimension, run in enumerate(runs(view)):
        if run.is_shrunk and not (0 <= run.first < source.shape[dimension] and run.step > 0):
            yield (
                f"begin {run.first} with stride {run.step} is no place "
                f"in dimension {dimension} of input tensor {source}"
            )
            return
    yield from constraints.shaped(
        view.output, tuple(run.count for run in runs(view) if not run.is_shrunk)
    )


def _wrong_operands(view: NodeView) -> Iterator[str]:
    rank = len(view.input(0).shape)
    for position, role in enumerate(OPERANDS, start=1):
        tensor = view.input(position)
        wrong = list(numbers(tensor, role))
        if not wrong and tensor.count != rank:
            wrong = [f"{role} tensor {tensor} has {tensor.count} values, expected {rank}"]
        if not wrong and role == "strides" and 0 in ints(tensor):
            wrong = [f"strides tensor {tensor} has a 0"]
        yield from wrong


def runs(view: NodeView) -> Iterator[Run]:
    """For each dimension; `StridedSliceStartForAxis` and its neighbours of TFLM."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    rows = zip(view.input(0).shape, *(ints(view.input(place)) for place in (1, 2, 3)), strict=True)
    for dimension, (size, begin, end, step) in enumerate(rows):
        bit = 1 << dimension
        low, high = (0, size) if step > 0 else (-1, size - 1)
        first, stop = (
            min(max(place + size if place < 0 else place, low), high) for place in (begin, end)
        )
        if attrs.begin_mask & bit:
            first = low if step > 0 else high
        if attrs.end_mask & bit:
            stop = high if step > 0 else low
        is_shrunk = bool(attrs.shrink_axis_mask & bit)
        count = 1 if is_shrunk else max(-(-(stop - first) // step), 0)
        yield Run(first, step, count, is_shrunk)


def layout(view: NodeView) -> tuple[Place, ...]:
    """One copy; a negative stride walks backwards."""
    source, result = view.input(0), view.output
    steps, taken = dense_steps(source.shape), tuple(runs(view))
    shape = tuple(run.count for run in taken)
    place = Place(
        target=result.index,
        shape=shape,
        source=source.index,
        source_offset=sum(run.first * step for run, step in zip(taken, steps, strict=True)),
        source_steps=tuple(run.step * step for run, step in zip(taken, steps, strict=True)),
        target_steps=dense_steps(shape),
    )
    return (place,)
