"""Nodes that move elements: views, orders, borders."""

from __future__ import annotations

import math

from tests.support.families.growing import LARGEST, Growing


def reshaping(graph: Growing, name: str, source: int) -> bool:
    """RESHAPE, to any rank."""
    shape = graph.split_count(math.prod(graph.shape(source)), graph.pick(1, 5))
    graph.node(name, [source], graph.activation(shape, like=source))
    return True


def squeezing(graph: Growing, name: str, source: int) -> bool:
    """SQUEEZE of all dimensions of size 1 but the last."""
    shape = graph.shape(source)
    gone = [axis for axis, size in enumerate(shape[:-1]) if size == 1]
    if not gone:
        return False
    left = tuple(size for axis, size in enumerate(shape) if axis not in gone)
    graph.node(name, [source], graph.activation(left, like=source), SqueezeDims=gone)
    return True


def expanding(graph: Growing, name: str, source: int) -> bool:
    """EXPAND_DIMS."""
    shape = graph.shape(source)
    if len(shape) > 4:
        return False
    axis = graph.pick(0, len(shape))
    result = graph.activation((*shape[:axis], 1, *shape[axis:]), like=source)
    graph.node(name, [source, graph.numbers(axis)], result)
    return True


def ordering(graph: Growing, name: str, source: int) -> bool:
    """TRANSPOSE."""
    shape = graph.shape(source)
    if len(shape) > 5:
        return False
    order = [int(axis) for axis in graph.generator.permutation(len(shape))]
    result = graph.activation(tuple(shape[axis] for axis in order), like=source)
    graph.node(name, [source, graph.numbers(order)], result)
    return True


def reversing(graph: Growing, name: str, source: int) -> bool:
    """REVERSE_V2 along one axis."""
    shape = graph.shape(source)
    axis = graph.numbers([graph.pick(0, len(shape) - 1)])
    graph.node(name, [source, axis], graph.activation(shape, like=source))
    return True


def padding(graph: Growing, name: str, source: int) -> bool:
    """PAD and PADV2."""
    shape = graph.shape(source)
    pairs = [(0, 0)] * len(shape)
    for _ in range(graph.pick(1, 2)):
        pairs[graph.pick(0, len(shape) - 1)] = (graph.pick(0, 2), graph.pick(0, 2))
    result = tuple(size + sum(pair) for size, pair in zip(shape, pairs, strict=True))
    if len(shape) > 4 or math.prod(result) > LARGEST:
        return False
    operands = [source, graph.numbers(pairs)]
    if name == "PADV2":
        operands.append(graph.constant(graph.activation((), like=source)))
    graph.node(name, operands, graph.activation(result, like=source))
    return True


def mirroring(graph: Growing, name: str, source: int) -> bool:
    """MIRROR_PAD by a cell or two, with the outermost twice (mode 1) or once (mode 0)."""
    shape, mode = graph.shape(source), graph.pick(0, 1)
    most = [min(2, size - 1 + mode) for size in shape]
    pairs = [(graph.pick(0, each), graph.pick(0, each)) for each in most]
    result = tuple(size + sum(pair) for size, pair in zip(shape, pairs, strict=True))
    if len(shape) > 4 or math.prod(result) > LARGEST:
        return False
    graph.node(
        name, [source, graph.numbers(pairs)], graph.activation(result, like=source), Mode=mode
    )
    return True


def broadcasting(graph: Growing, name: str, source: int) -> bool:
    """BROADCAST_TO."""
    shape = graph.shape(source)
    result = tuple(graph.pick(2, 4) if size == 1 else size for size in shape)
    if len(shape) > 4 or math.prod(result) > LARGEST:
        return False
    graph.node(name, [source, graph.numbers(result)], graph.activation(result, like=source))
    return True


def blocks_to_depth(graph: Growing, name: str, source: int) -> bool:
    """SPACE_TO_DEPTH of blocks of two."""
    batches, height, width, channels = graph.shape(source := graph.image(source))
    if height % 2 or width % 2:
        return False
    shape = (batches, height // 2, width // 2, channels * 4)
    graph.node(name, [source], graph.activation(shape, like=source), BlockSize=2)
    return True


def depth_to_blocks(graph: Growing, name: str, source: int) -> bool:
    """DEPTH_TO_SPACE of blocks of two."""
    batches, height, width, channels = graph.shape(source := graph.image(source))
    if channels % 4:
        return False
    shape = (batches, height * 2, width * 2, channels // 4)
    graph.node(name, [source], graph.activation(shape, like=source), BlockSize=2)
    return True


def cutting(graph: Growing, name: str, source: int) -> bool:
    """SPACE_TO_BATCH_ND without paddings, where TFLM errs."""
    batches, height, width, channels = graph.shape(source := graph.image(source))
    sizes = [2 if size % 2 == 0 else 1 for size in (height, width)]
    shape = (batches * math.prod(sizes), height // sizes[0], width // sizes[1], channels)
    operands = [source, graph.numbers(sizes), graph.numbers([[0, 0], [0, 0]])]
    graph.node(name, operands, graph.activation(shape, like=source))
    return True


def joining(graph: Growing, name: str, source: int) -> bool:
    """BATCH_TO_SPACE_ND, now and then with crops."""
    batches, height, width, channels = graph.shape(source := graph.image(source))
    if batches % 2:
        return False
    sizes = graph.choose(([2, 1], [1, 2]))
    inner = (height * sizes[0], width * sizes[1])
    crops = [[0, graph.pick(0, min(1, size - 1))] for size in inner]
    left = (size - sum(pair) for size, pair in zip(inner, crops, strict=True))
    result = graph.activation((batches // 2, *left, channels), like=source)
    graph.node(name, [source, graph.numbers(sizes), graph.numbers(crops)], result)
    return True
