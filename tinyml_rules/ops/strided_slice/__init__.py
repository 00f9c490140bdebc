"""STRIDED_SLICE: elements from a begin to an end along each dimension, in steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ops._shared.moves import dense_steps
from tinyml_rules.ops._shared.moving import ints
from tinyml_rules.ops._shared.operands import alike, movable, numbers
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES

ENTRIES = ("begin", "end", "strides")
"""The inputs from the second on, with a value for each entry."""


@dataclass(frozen=True)
class Attrs:
    """StridedSliceOptions; bit i of a mask is for entry i."""

    begin_mask: int = option(0, "int32")
    end_mask: int = option(1, "int32")
    ellipsis_mask: int = option(2, "int32")
    new_axis_mask: int = option(3, "int32")
    shrink_axis_mask: int = option(4, "int32")
    offset: bool = option(5, "bool", default=False)


@dataclass(frozen=True)
class Entry:
    """One number of begin, end and strides each, `number`; None where an ellipsis stands for it.
    `dimension`: of the input, None of a new axis."""

    number: int | None
    dimension: int | None


@dataclass(frozen=True)
class Run:
    """What is taken along one dimension."""

    first: int
    step: int
    count: int
    is_shrunk: bool


def check_options(view: NodeView) -> Iterator[str]:
    """Ends that are places."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    if attrs.offset:
        yield "ends are counted from the begins, which is not supported"


def check(view: NodeView) -> Iterator[str]:
    """Entries that fit the input."""
    source, strides = view["input"], view["strides"]
    wrong = [f"strides tensor {strides} has a 0"] if 0 in ints(strides) else []
    wrong = wrong or list(_wrong_entries(view))
    yield from wrong
    if wrong:
        return
    for dimension, run in enumerate(runs(view)):
        if run.is_shrunk and not (0 <= run.first < source.shape[dimension] and run.step > 0):
            yield (
                f"begin {run.first} with stride {run.step} is outside dimension {dimension} of "
                f"input tensor {source}"
            )
            return


def _wrong_entries(view: NodeView) -> Iterator[str]:
    attrs, source, count = view.node.attrs, view["input"], view["begin"].count
    assert isinstance(attrs, Attrs)
    if _bits(attrs.ellipsis_mask, count) > 1:
        yield f"ellipsis mask {attrs.ellipsis_mask}, expected one bit at most"
    elif _missing(view) < 0:
        named, rank = len(source.shape) - _missing(view), len(source.shape)
        yield f"begins for {named} dimensions of input tensor {source}, which has {rank}"
    elif _bits(attrs.ellipsis_mask, count) and not _missing(view):
        yield "an ellipsis for no dimension, which TensorFlow and LiteRT read in two ways"


def _bits(mask: int, count: int) -> int:
    """How many of the entries a mask names."""
    return (mask & ((1 << count) - 1)).bit_count()


def _missing(view: NodeView) -> int:
    """Dimensions that no entry names, and an ellipsis, or the end, stands for."""
    attrs, count = view.node.attrs, view["begin"].count
    assert isinstance(attrs, Attrs)
    new_axes = _bits(attrs.new_axis_mask & ~attrs.ellipsis_mask, count)
    named = count - new_axes - _bits(attrs.ellipsis_mask, count)
    return len(view["input"].shape) - named


def entries(view: NodeView) -> Iterator[Entry]:
    """In their order, an ellipsis as the dimensions that it stands for.

    TFLM ignores the masks of ellipsis and new axes; this is what `BuildStridedSliceParams` of
    LiteRT makes of them: an ellipsis comes before a new axis, that before a shrunk one."""
    attrs, dimension = view.node.attrs, 0
    assert isinstance(attrs, Attrs)
    for number in range(view["begin"].count):
        bit = 1 << number
        if attrs.ellipsis_mask & bit:
            for _ in range(_missing(view)):
                yield Entry(None, dimension)
                dimension += 1
        elif attrs.new_axis_mask & bit:
            yield Entry(number, None)
        else:
            yield Entry(number, dimension)
            dimension += 1
    yield from (Entry(None, each) for each in range(dimension, len(view["input"].shape)))


def runs(view: NodeView) -> Iterator[Run]:
    """For each dimension of the input."""
    for entry in entries(view):
        if entry.dimension is not None:
            size = view["input"].shape[entry.dimension]
            yield Run(0, 1, size, False) if entry.number is None else _run(view, entry.number, size)


def _run(view: NodeView, number: int, size: int) -> Run:
    """`StridedSliceStartForAxis` and its neighbours of TFLM."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    begin, end, step = (ints(view[name])[number] for name in ENTRIES)
    bit = 1 << number
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
    return Run(first, step, count, is_shrunk)


def _shape(view: NodeView) -> tuple[int, ...]:
    """Without shrunk axes, and with new ones."""
    taken = list(runs(view))
    found = []
    for entry in entries(view):
        if entry.dimension is None:
            found.append(1)
        elif not taken[entry.dimension].is_shrunk:
            found.append(taken[entry.dimension].count)
    return tuple(found)


def _begins(view: NodeView) -> int:
    return view["begin"].count


OPERANDS = {
    "input": movable(),
    "begin": numbers(),
    "end": numbers(count=_begins),
    "strides": numbers(count=_begins),
    "output": alike("input", shape=_shape),
}


def layout(view: NodeView) -> tuple[Place, ...]:
    """One copy; a negative stride walks backwards."""
    source, result = view["input"], view.output
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


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """None where an axis is new, a slice elsewhere, of which the first where an axis is shrunk."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    begins, ends, strides = (
        values[view[name].index].tolist() for name in ("begin", "end", "strides")
    )
    places: list[Any] = []
    of_result: list[Any] = []
    for number, (begin, end, stride) in enumerate(zip(begins, ends, strides, strict=True)):
        start = None if attrs.begin_mask >> number & 1 else begin
        stop = None if attrs.end_mask >> number & 1 else end
        if attrs.ellipsis_mask >> number & 1:
            places.append(...)
            of_result.append(...)
        elif attrs.new_axis_mask >> number & 1:
            places.append(None)
            of_result.append(slice(None))
        elif attrs.shrink_axis_mask >> number & 1:
            places.append(slice(start, None))  # a begin before the first place is the first
            of_result.append(0)
        else:
            places.append(slice(start, stop, stride))
            of_result.append(slice(None))
    return np.array(values[view["input"].index][tuple(places)][tuple(of_result)])


OP = Op(
    name="strided_slice",
    builtin_code=45,
    options_type=32,
    attrs=Attrs,
    inputs=("input", "begin", "end", "strides"),
    options=check_options,
    summary="any type; constant begins, ends and strides, negative ones too; "
    "all masks; of the outermost dimension free",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
    quantization=MOVES,
)
