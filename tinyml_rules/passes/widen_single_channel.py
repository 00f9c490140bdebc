"""DEPTHWISE_CONV_2D of an image with one channel is CONV_2D with its weights in another order.

There the taps of a window row lie side by side, so that a dot product runs along them; a depthwise
kernel goes from channel to channel.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tinyml_rules.ir.graph import Graph, Node, NodeView, Tensor
from tinyml_rules.ops._shared.convolution import ConvolutionAttrs
from tinyml_rules.ops._shared.operator import Operators


def widen_single_channel(graph: Graph, _operators: Operators) -> Graph:
    """The graph with each such node replaced, its weights as [outputs][height][width][1]."""
    tensors = list(graph.tensors)
    nodes = []
    for node in graph.nodes:
        view = NodeView(graph, node)
        is_narrow = node.op == "depthwise_conv_2d" and view.input(0).shape[-1] == 1
        if is_narrow and view.input(1).is_constant:
            weights = _outputs_first(view.input(1), index=len(tensors))
            tensors.append(weights)
            node = _as_conv_2d(node, weights)  # noqa: PLW2901 - the node of the new graph
        nodes.append(node)
    return replace(graph, nodes=tuple(nodes), tensors=tuple(tensors))


def _outputs_first(weights: Tensor, *, index: int) -> Tensor:
    """[1][height][width][outputs] -> [outputs][height][width][1]."""
    assert weights.data is not None and weights.quantization is not None
    data = np.ascontiguousarray(np.swapaxes(weights.data, 0, 3))
    quantization = replace(weights.quantization, axis=0)
    return replace(weights, index=index, shape=data.shape, data=data, quantization=quantization)


def _as_conv_2d(node: Node, weights: Tensor) -> Node:
    attrs = node.attrs
    assert isinstance(attrs, ConvolutionAttrs)
    plain = ConvolutionAttrs(
        padding=attrs.padding,
        stride_width=attrs.stride_width,
        stride_height=attrs.stride_height,
        activation=attrs.activation,
        dilation_width=attrs.dilation_width,
        dilation_height=attrs.dilation_height,
        border=attrs.border,
    )
    source, _, *bias = node.inputs
    return replace(node, op="conv_2d", attrs=plain, inputs=(source, weights.index, *bias))
