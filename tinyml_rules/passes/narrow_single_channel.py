"""CONV_2D of groups of one channel is DEPTHWISE_CONV_2D with its weights in another order."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from tinyml_rules.ir.graph import Graph, Node, NodeView, Tensor
from tinyml_rules.ops._shared.convolution import ConvolutionAttrs
from tinyml_rules.ops._shared.operator import Operators

OPERATOR = "depthwise_conv_2d"


def narrow_single_channel(graph: Graph, operators: Operators) -> Graph:
    """The graph with each such node replaced, its weights as [1][height][width][outputs]."""
    tensors = list(graph.tensors)
    nodes = []
    for node in graph.nodes:
        view = NodeView(graph, node)
        is_wide = node.op == "conv_2d" and view.input(1).shape[-1] == 1 < view.input(0).shape[-1]
        if is_wide and view.input(1).is_constant:
            weights = _outputs_last(view.input(1), index=len(tensors))
            tensors.append(weights)
            multiplier = view.output.shape[-1] // view.input(0).shape[-1]
            node = _as_depthwise(node, weights, operators, multiplier)  # noqa: PLW2901 - the new graph's
        nodes.append(node)
    return replace(graph, nodes=tuple(nodes), tensors=tuple(tensors))


def _outputs_last(weights: Tensor, *, index: int) -> Tensor:
    """[outputs][height][width][1] -> [1][height][width][outputs]."""
    assert weights.data is not None and weights.quantization is not None
    data = np.ascontiguousarray(np.swapaxes(weights.data, 0, 3))
    quantization = replace(weights.quantization, axis=3)
    return replace(weights, index=index, shape=data.shape, data=data, quantization=quantization)


def _as_depthwise(node: Node, weights: Tensor, operators: Operators, multiplier: int) -> Node:
    attrs = node.attrs
    assert isinstance(attrs, ConvolutionAttrs)
    shared = {field.name: getattr(attrs, field.name) for field in fields(attrs)}
    narrow = operators[OPERATOR].attrs(**shared, depth_multiplier=multiplier)
    source, _, *bias = node.inputs
    return replace(node, op=OPERATOR, attrs=narrow, inputs=(source, weights.index, *bias))
