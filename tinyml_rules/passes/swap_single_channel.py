"""Replaces a convolution of single channels by the equivalent one with faster kernels.

CONV_2D of groups of one channel is DEPTHWISE_CONV_2D, whose kernels go from channel to channel.
DEPTHWISE_CONV_2D of an image with one channel is CONV_2D: there the taps of a window row are
adjacent, so that a dot product runs along them.
"""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from tinyml_rules.ir.graph import Graph, NodeView, Tensor
from tinyml_rules.ops._shared.convolution import ConvolutionAttrs
from tinyml_rules.ops._shared.operator import Operators

NARROW, WIDE = "depthwise_conv_2d", "conv_2d"


def swap_single_channel(graph: Graph, operators: Operators) -> Graph:
    """The graph with each such node replaced, unless the other operator does not take its types."""
    tensors = list(graph.tensors)
    nodes = []
    for node in graph.nodes:
        view = NodeView(graph, node)
        name = _better(view)
        if name:
            weights = _turned(view.input(1), index=len(tensors))
            source, _, *bias = node.inputs
            swapped = replace(
                node,
                op=name,
                attrs=_attrs(view, name, operators),
                inputs=(source, weights.index, *bias),
            )
            wider = replace(graph, tensors=(*tensors, weights))
            if not operators[name].problems(NodeView(wider, swapped)):
                tensors.append(weights)
                node = swapped  # noqa: PLW2901 - the node of the new graph
        nodes.append(node)
    return replace(graph, nodes=tuple(nodes), tensors=tuple(tensors))


def _better(view: NodeView) -> str:
    """The operator that should replace a node's, or "" for none."""
    if view.node.op not in (NARROW, WIDE) or not view.input(1).is_constant:
        return ""
    channels, of_weights = view.input(0).shape[-1], view.input(1).shape[-1]
    if view.node.op == NARROW:
        return WIDE if channels == 1 else ""
    return NARROW if of_weights == 1 < channels else ""


def _turned(weights: Tensor, *, index: int) -> Tensor:
    """[outputs][height][width][1] from [1][height][width][outputs], and the other way round."""
    assert weights.data is not None
    data = np.ascontiguousarray(np.swapaxes(weights.data, 0, 3))
    axis = 0 if data.shape[3] == 1 else 3
    quantization = weights.quantization and replace(weights.quantization, axis=axis)
    return replace(weights, index=index, shape=data.shape, data=data, quantization=quantization)


def _attrs(view: NodeView, name: str, operators: Operators) -> ConvolutionAttrs:
    attrs = view.node.attrs
    assert isinstance(attrs, ConvolutionAttrs)
    shared = {each.name: getattr(attrs, each.name) for each in fields(ConvolutionAttrs)}
    if name == WIDE:
        return ConvolutionAttrs(**shared)
    multiplier = view.output.shape[-1] // view.input(0).shape[-1]
    narrow: ConvolutionAttrs = operators[NARROW].attrs(**shared, depth_multiplier=multiplier)
    return narrow
