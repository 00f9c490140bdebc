"""Convolutions of channels, side by side, are one.

A mixed convolution splits an image by its channels, slides over each part a window of another
length, and joins what they give.  One window of the greatest length does the same where the shorter
ones have weights of 0 for the rows that they do not see; nothing is split, cut or joined.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tinyml_rules.ir.graph import Array, Graph, Node, NodeView, Quantization, Tensor
from tinyml_rules.ops._shared.convolution import ConvolutionAttrs
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.passes.layouts_above import Part, parts_of
from tinyml_rules.passes.remove_dead_nodes import remove_dead_nodes
from tinyml_rules.passes.uses import Uses

OP = "depthwise_conv_2d"
CHANNELS = 3
"""The axis of images and of weights."""


@dataclass(frozen=True)
class _Branch:
    """A convolution, and the part of the image that it sees."""

    view: NodeView
    part: Part

    @property
    def weights(self) -> Tensor:
        return self.view["weights"]

    @property
    def channels(self) -> int:
        return self.weights.shape[CHANNELS]

    @property
    def first_row(self) -> int:
        return self.part.begin[1]


def join_branches(graph: Graph, operators: Operators) -> Graph:
    """The graph with one convolution for several, where that takes fewer steps than to copy the
    parts of the image."""
    uses, tensors = Uses(graph), list(graph.tensors)
    made: dict[int, Node] = {}
    gone: set[int] = set()
    for join in graph.nodes:
        branches = list(_branches(graph, join, uses, operators))
        if len(branches) > 1 and _are_one(graph, join, branches, operators):
            constants = _constants(branches, height=_height(branches), first=len(tensors))
            found = _joined(join, branches, constants)
            wider = replace(graph, tensors=(*tensors, *constants))
            if not _problems(wider, found, operators):
                tensors += constants
                made[join.index] = found
                gone |= {each.view.node.index for each in branches}
    if not made:
        return graph
    nodes = (made.get(node.index, node) for node in graph.nodes if node.index not in gone)
    return remove_dead_nodes(replace(graph, tensors=tuple(tensors), nodes=tuple(nodes)), operators)


def _branches(graph: Graph, join: Node, uses: Uses, operators: Operators) -> Iterator[_Branch]:
    """Of a node that joins convolutions alone, each on a part of the same image; else none."""
    makers = [None if index is None else uses.maker_of(index) for index in join.inputs]
    nodes = [each for each in makers if each is not None and each.op == OP]
    if operators[join.op].layout is None or len(nodes) < max(2, len(makers)):
        return
    if len({each.index for each in nodes}) < len(nodes) or not all(map(uses.is_read_once, nodes)):
        return
    images = [NodeView(graph, each)["input"].index for each in nodes]
    parts = parts_of(graph, images, uses, operators)
    for node, part in zip(nodes, parts or (), strict=parts is not None):
        yield _Branch(NodeView(graph, node), part)


def _are_one(graph: Graph, join: Node, branches: Sequence[_Branch], operators: Operators) -> bool:
    """Whether they only differ in the part that they see and in their weights, and are appended in
    the order of all channels."""
    first = branches[0].view
    attrs, image = first.node.attrs, branches[0].part.whole
    assert isinstance(attrs, ConvolutionAttrs)
    is_plain = (
        attrs.padding == Padding.VALID
        and attrs.dilation_height == 1
        and not any(map(any, attrs.border))
        and len(image.shape) == CHANNELS + 1
    )
    ends = np.cumsum([each.channels for each in branches]).tolist()
    begins = [0, *ends[:-1]]
    return (
        is_plain
        and ends[-1] == image.shape[CHANNELS]
        and all(map(_is_alike, branches, [first] * len(branches), begins))
        and _zeros(branches) <= sum(each.part.count for each in branches)
        and _is_appended(NodeView(graph, join), operators)
    )


def _is_alike(branch: _Branch, first: NodeView, begin: int) -> bool:
    """Whether a branch is like the first one but for its channels and the length of its window."""
    view, part, weights = branch.view, branch.part, branch.weights
    quantization = weights.quantization
    columns = part.whole.shape[2]
    return (
        view.node.attrs == first.node.attrs
        and part.begin == (0, branch.first_row, 0, begin)
        and part.shape[2:] == (columns, branch.channels)
        and weights.shape[2] == first["weights"].shape[2]
        and weights.data is not None
        and weights.data.dtype == np.int8
        and quantization is not None
        and not any(quantization.zero_points)
        and _values(view.optional("bias")) is not None
        and view.output.quantization == first.output.quantization
        and view["input"].quantization == part.whole.quantization
    )


def _values(tensor: Tensor | None) -> Array | None:
    return None if tensor is None else tensor.data


def _height(branches: Sequence[_Branch]) -> int:
    """Of the window that sees all rows that an output row depends on."""
    view, image = branches[0].view, branches[0].part.whole
    attrs = view.node.attrs
    assert isinstance(attrs, ConvolutionAttrs)
    return image.shape[1] - (view.output.shape[1] - 1) * attrs.stride_height


def _zeros(branches: Sequence[_Branch]) -> int:
    """Products with weights of 0 that one window has in addition."""
    height = _height(branches)
    return sum(
        (height - each.weights.shape[1]) * each.weights.shape[2] * each.view.output.count
        for each in branches
    )


def _is_appended(join: NodeView, operators: Operators) -> bool:
    """Whether a node appends its inputs along the channels, asked with numbers as values."""
    sizes = np.cumsum([0, *(each.count for each in join.inputs if each is not None)]).tolist()
    values = {
        each.index: np.arange(begin, begin + each.count).reshape(each.shape)
        for each, begin in zip(join.inputs, sizes, strict=False)
        if each is not None
    }
    (found,) = operators[join.node.op].evaluate(join, values)
    return np.array_equal(found, np.concatenate([*values.values()], axis=CHANNELS))


def _constants(branches: Sequence[_Branch], *, height: int, first: int) -> tuple[Tensor, Tensor]:
    """Weights and bias of all branches; those of a branch begin at the row that it sees first."""
    channels, columns = branches[0].part.whole.shape[CHANNELS], branches[0].weights.shape[2]
    data = np.zeros((1, height, columns, channels), np.int8)
    begin = 0
    for each in branches:
        rows = slice(each.first_row, each.first_row + each.weights.shape[1])
        assert each.weights.data is not None
        data[:, rows, :, begin : begin + each.channels] = each.weights.data
        begin += each.channels
    views = [each.view for each in branches]
    biases = [view["bias"] for view in views]
    bias = np.concatenate([_values(each) for each in biases], axis=None)
    return (
        _constant(branches[0].weights, first, data, _scales([each.weights for each in branches])),
        _constant(biases[0], first + 1, bias, _scales(biases)),
    )


def _constant(like: Tensor, index: int, data: Array, scales: tuple[float, ...]) -> Tensor:
    """A constant with a scale for each channel, which are its last axis; or without any."""
    quantization = Quantization(scales, (0,) * len(scales), axis=data.ndim - 1)
    return replace(
        like,
        index=index,
        shape=data.shape,
        data=data,
        quantization=quantization if scales else None,
    )


def _scales(tensors: Sequence[Tensor]) -> tuple[float, ...]:
    """One a channel; none where a tensor has none."""
    found: list[float] = []
    for each in tensors:
        if each.quantization is None or not each.quantization.scales:
            return ()
        scales, count = each.quantization.scales, each.shape[-1]
        found += scales if len(scales) == count else scales * count
    return tuple(found)


def _joined(join: Node, branches: Sequence[_Branch], constants: Sequence[Tensor]) -> Node:
    """The convolution in the place of the node that joins."""
    node = branches[0].view.node
    inputs = (branches[0].part.whole.index, *(each.index for each in constants))
    return replace(node, index=join.index, inputs=inputs, outputs=join.outputs, origin=join.origin)


def _problems(graph: Graph, node: Node, operators: Operators) -> list[str]:
    """Messages for a node that a check would refuse for more than an input that is a variable."""
    image = graph.tensors[node.inputs[0] or 0]
    view = NodeView(graph, node, changed={image.index: replace(image, is_variable=False)})
    return operators[node.op].problems(view)
