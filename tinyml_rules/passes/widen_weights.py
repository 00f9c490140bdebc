"""Weights of int8 or float16 in layers that compute in float32 (`dequantize`): numbers of float32,
as DEQUANTIZE makes them of the file's.

Operators that can take int8 weights as they are keep them, and widen them where they use them; all
others get constants of float32.
"""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.arithmetic.widened import widened
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph, Node, NodeView, Tensor
from tinyml_rules.ops._shared.constraints import operand_counts
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.passes.schemes import DYNAMIC_RANGE, FLOAT16, scheme_of_node

_NARROW = (DType.INT8, DType.FLOAT16)


def widen_weights(graph: Graph, operators: Operators) -> Graph:
    """The graph with such weights; nodes that no operator here computes stay as they are."""
    graph = replace(graph, widens_weights=True)
    tensors, nodes = list(graph.tensors), []
    for node in graph.nodes:
        nodes.append(_widened(graph, node, tensors) if _lacks(graph, node, operators) else node)
    return replace(graph, tensors=tuple(tensors), nodes=tuple(nodes))


def _lacks(graph: Graph, node: Node, operators: Operators) -> bool:
    """Whether a node has weights that its operator does not take as they are."""
    op, view = operators.get(node.op), NodeView(graph, node)
    if op is None or any(operand_counts(view)) or scheme_of_node(view) not in _SCHEMES:
        return False
    return bool(op.problems(view))


_SCHEMES = (DYNAMIC_RANGE, FLOAT16)


def _widened(graph: Graph, node: Node, tensors: list[Tensor]) -> Node:
    """The node with constants of float32, which are added to the tensors."""
    inputs = list(node.inputs)
    for place, index in enumerate(inputs):
        tensor = None if index is None else graph.tensors[index]
        if tensor is None or tensor.data is None or tensor.unread or tensor.dtype not in _NARROW:
            continue
        if tensor.dtype is DType.INT8 and tensor.quantization is None:
            continue
        inputs[place] = len(tensors)
        data = widened(tensor.data, tensor.quantization)
        tensors.append(
            replace(tensor, index=len(tensors), dtype=DType.FLOAT32, quantization=None, data=data)
        )
    return replace(node, inputs=tuple(inputs))
