"""Nodes that put tensors together, take them apart, and pick what is in them."""

from __future__ import annotations

import math

from tests.support.families.growing import LARGEST, Growing

MOST_PARTS = 4


def concatenating(graph: Growing, name: str, source: int) -> bool:
    """With itself or with others that differ along one axis at most."""
    shape = graph.shape(source)
    axis = graph.pick(0, len(shape) - 1)
    without = (*shape[:axis], *shape[axis + 1 :])
    fitting = graph.others(
        lambda each: (
            len(each.shape) == len(shape)
            and (*each.shape[:axis], *each.shape[axis + 1 :]) == without
        )
    )
    operands = [source]
    for _ in range(graph.pick(1, 3)):
        operands.append(graph.requantized(graph.choose(fitting), like=source))
    graph.generator.shuffle(operands)
    length = sum(graph.shape(each)[axis] for each in operands)
    result = (*shape[:axis], length, *shape[axis + 1 :])
    if math.prod(result) > LARGEST:
        return False
    written = axis - len(shape) if graph.chance(0.4) else axis
    graph.node(name, operands, graph.activation(result, like=source), Axis=written)
    return True


def packing(graph: Growing, name: str, source: int) -> bool:
    """Two or three tensors along a new axis."""
    shape, count = graph.shape(source), graph.pick(2, 3)
    if len(shape) > 3 or math.prod(shape) * count > LARGEST:
        return False
    operands = [source, *(graph.alike(source) for _ in range(count - 1))]
    axis = graph.pick(0, len(shape))
    result = graph.activation((*shape[:axis], count, *shape[axis:]), like=source)
    graph.node(name, operands, result, Axis=axis, ValuesCount=count)
    return True


def unpacking(graph: Growing, name: str, source: int) -> bool:
    """All slices along an axis."""
    shape = graph.shape(source)
    axes = [axis for axis, size in enumerate(shape) if size <= MOST_PARTS]
    if len(shape) < 2 or not axes:
        return False
    axis = graph.choose(axes)
    part = graph.activation((*shape[:axis], *shape[axis + 1 :]), like=source)
    graph.node(name, [source], *[part] * shape[axis], Axis=axis, Num=shape[axis])
    return True


def splitting(graph: Growing, name: str, source: int) -> bool:
    """Equal parts, or with SPLIT_V any."""
    shape = graph.shape(source)
    axis = graph.pick(0, len(shape) - 1)
    size = shape[axis]
    if name == "SPLIT_V":
        first = graph.pick(1, size)
        sizes = [first, size - first] if size > first else [size]
    else:
        count = graph.choose([each for each in range(1, MOST_PARTS + 1) if size % each == 0])
        sizes = [size // count] * count
    parts = [
        graph.activation((*shape[:axis], each, *shape[axis + 1 :]), like=source) for each in sizes
    ]
    of_axis = graph.numbers(axis)
    operands = [of_axis, source]
    if name == "SPLIT_V":
        operands = [source, graph.numbers(sizes), of_axis]
    graph.node(name, operands, *parts, NumSplits=len(sizes))
    return True


def _range(graph: Growing, size: int) -> tuple[int, int]:
    """Where a part of so many values begins, and where it ends."""
    begin = graph.pick(0, size - 1)
    return begin, graph.pick(begin + 1, size)


def slicing(graph: Growing, name: str, source: int) -> bool:
    """SLICE; a size of -1 is all that is left."""
    shape = graph.shape(source)
    if len(shape) > 4:
        return False
    ranges = [_range(graph, size) for size in shape]
    sizes = [end - begin for begin, end in ranges]
    written = [
        -1 if end == size and graph.chance(0.5) else end - begin
        for (begin, end), size in zip(ranges, shape, strict=True)
    ]
    operands = [source, graph.numbers([begin for begin, _ in ranges]), graph.numbers(written)]
    graph.node(name, operands, graph.activation(tuple(sizes), like=source))
    return True


def striding(graph: Growing, name: str, source: int) -> bool:
    """STRIDED_SLICE, backwards too, with ends left open by masks."""
    shape = graph.shape(source)
    if len(shape) > 4:
        return False
    ranges = [_range(graph, size) for size in shape]
    strides = [graph.pick(1, 2) for _ in shape]
    sizes = [
        len(range(begin, end, stride)) for (begin, end), stride in zip(ranges, strides, strict=True)
    ]
    graph.node(
        name,
        [
            source,
            graph.numbers([begin for begin, _ in ranges]),
            graph.numbers([end for _, end in ranges]),
            graph.numbers(strides),
        ],
        graph.activation(tuple(sizes), like=source),
        BeginMask=sum((begin == 0) << axis for axis, (begin, _) in enumerate(ranges)),
        EndMask=sum((ranges[axis][1] == size) << axis for axis, size in enumerate(shape)),
    )
    return True


def gathering(graph: Growing, name: str, source: int) -> bool:
    """GATHER by constant indices."""
    shape = graph.shape(source)
    axis, count = graph.pick(0, len(shape) - 1), graph.pick(1, 4)
    result = (*shape[:axis], count, *shape[axis + 1 :])
    if math.prod(result) > LARGEST:
        return False
    indices = graph.numbers([graph.pick(0, shape[axis] - 1) for _ in range(count)])
    graph.node(name, [source, indices], graph.activation(result, like=source), Axis=axis)
    return True


def gathering_slices(graph: Growing, name: str, source: int) -> bool:
    """GATHER_ND by constant indices into the first dimensions."""
    shape = graph.shape(source)
    depth, count = graph.pick(1, len(shape)), graph.pick(1, 4)
    result = (count, *shape[depth:])
    if depth > 4 or math.prod(result) > LARGEST:
        return False
    indices = [[graph.pick(0, size - 1) for size in shape[:depth]] for _ in range(count)]
    graph.node(name, [source, graph.numbers(indices)], graph.activation(result, like=source))
    return True


def updating(graph: Growing, name: str, source: int) -> bool:
    """DYNAMIC_UPDATE_SLICE with a constant part, which a start outside is moved to fit."""
    shape = graph.shape(source)
    part = tuple(graph.pick(1, size) for size in shape)
    begin = graph.numbers([graph.pick(0, size) for size in shape])
    update = graph.constant(graph.activation(part, like=source))
    graph.node(name, [source, update, begin], graph.activation(shape, like=source))
    return True
