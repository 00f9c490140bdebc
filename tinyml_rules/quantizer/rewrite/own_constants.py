"""Every reader of a float32 constant has its own, and every weighted sum a bias."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph, Node, Tensor
from tinyml_rules.ops._shared.operator import Operators


def own_constants(graph: Graph, operators: Operators) -> Graph:
    """The graph with a copy for each further reader, under a name of its own."""
    tensors, seen = list(graph.tensors), set(graph.outputs)
    nodes = []
    for node in graph.nodes:
        inputs = list(node.inputs)
        for place, index in enumerate(inputs):
            if index is None or not _is_float_constant(tensors[index]):
                continue
            if index in seen:
                copy = replace(
                    tensors[index],
                    index=len(tensors),
                    name=f"{tensors[index].name}_{node.index}_{place}",
                )
                tensors.append(copy)
                inputs[place] = copy.index
            seen.add(index)
        found = replace(node, inputs=tuple(inputs))
        nodes.append(_with_bias(found, tensors, operators))
    return replace(graph, tensors=tuple(tensors), nodes=tuple(nodes))


def _is_float_constant(tensor: Tensor) -> bool:
    return tensor.is_constant and tensor.dtype is DType.FLOAT32


def _with_bias(node: Node, tensors: list[Tensor], operators: Operators) -> Node:
    """The node with a bias of zeros, where it has none."""
    rule = operators[node.op].quantization
    weights = None if rule is None else rule.weights
    if weights is None:
        return node
    inputs = (*node.inputs, *(None for _ in range(weights.bias + 1 - len(node.inputs))))
    filters = inputs[weights.weights]
    assert filters is not None
    if inputs[weights.bias] is not None or not _is_float_constant(tensors[filters]):
        return node
    count, result = tensors[filters].shape[weights.axis], tensors[node.outputs[0]]
    bias = Tensor(
        index=len(tensors),
        name=f"{result.name}_bias",
        shape=(count,),
        dtype=DType.FLOAT32,
        data=np.zeros(count, np.float32),
        origin=f"{result.origin} bias" if result.origin else "",
    )
    tensors.append(bias)
    return replace(node, inputs=(*inputs[: weights.bias], bias.index, *inputs[weights.bias + 1 :]))
