"""Graph -> Graph: the float32 core, simplified; what cannot be quantized is refused, by node.

Constants that are quantized in a float32 model, a hybrid's weights, become the real numbers that
they stand for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from tinyml_rules.errors import Note, Problem, UnsupportedError
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, Graph, Node, NodeView, Tensor
from tinyml_rules.ir.text import operator_name
from tinyml_rules.ops._shared.operator import Operators, Role
from tinyml_rules.passes.check import problems_of
from tinyml_rules.passes.fold_constants import fold_constants
from tinyml_rules.passes.remove_dead_nodes import remove_dead_nodes

_QUANTIZED = (DType.INT8, DType.UINT8, DType.INT16, DType.INT4)
_LEFT_ALONE = (Role.CONVERSION,)


@dataclass(frozen=True, eq=False)
class Core:
    """The graph, and what there is to say of it."""

    graph: Graph
    notes: tuple[Problem, ...] = ()


def float_core(graph: Graph, operators: Operators) -> Core:
    """The model with float32 operands throughout; raises UnsupportedError."""
    problems = list(_not_handled(graph, operators))
    if problems:
        raise UnsupportedError(problems)
    core = _dequantized(remove_dead_nodes(graph, operators), operators)
    simple = remove_dead_nodes(fold_constants(core.graph, operators), operators)
    wrong = problems_of(simple, operators, needs_kernels=False)
    problems = [*_quantized_already(simple), *(replace(each, hint="") for each in wrong)]
    if problems:
        raise UnsupportedError(problems)
    if not any(_is_float(tensor) for node in simple.nodes for tensor in _tensors(simple, node)):
        raise UnsupportedError.at(graph.name, "no operator computes in float32, nothing to do")
    return replace(core, graph=replace(simple, others=()))


def _tensors(graph: Graph, node: Node) -> list[Tensor]:
    return [graph.tensors[index] for index in (*node.inputs, *node.outputs) if index is not None]


def _is_float(tensor: Tensor) -> bool:
    return tensor.dtype is DType.FLOAT32


def _not_handled(graph: Graph, operators: Operators) -> Iterator[Problem]:
    """Nodes that run graphs, keep values, or that nobody knows."""
    for node in graph.nodes:
        where, op = graph.where(node), operators.get(node.op)
        if op is None or op.custom_name:
            name = operator_name(node.op)
            yield Problem(
                where,
                f"operator {name} has no float32 meaning here, so that it cannot be calibrated",
            )
        elif op.role in (Role.CALL, Role.EFFECT) or op.handling is not None:
            what = "runs sub-graphs or keeps values, which the quantizer does not support"
            yield Problem(where, what)
        elif any(tensor.is_variable for tensor in _tensors(graph, node)):
            yield Problem(where, "has a variable, which the quantizer does not support")


def _quantized_already(graph: Graph) -> Iterator[Problem]:
    """The first tensor of activations that is."""
    for index in (*graph.inputs, *(index for node in graph.nodes for index in node.outputs)):
        tensor = graph.tensors[index]
        if tensor.dtype in _QUANTIZED and tensor.quantization is not None:
            what = f"tensor {tensor} is {tensor.dtype} with a scale: the model is quantized already"
            yield Problem(graph.name, f"{what}, expected a float32 model", "compile it as it is")
            return


def _dequantized(graph: Graph, operators: Operators) -> Core:
    """Without quantized constants in nodes that compute in float32."""
    tensors = list(graph.tensors)
    found = []
    for node in graph.nodes:
        if operators[node.op].role in _LEFT_ALONE or not _computes_in_float32(graph, node):
            continue
        for tensor in NodeView(graph, node).inputs:
            if tensor is not None and _is_quantized_constant(tensor):
                tensors[tensor.index] = as_float32(tensor)
                found.append(node)
    if not found:
        return Core(graph)
    nodes = ", ".join(str(node.index) for node in found)
    what = f"hybrid model: integer weights of node {nodes} are converted back to float"
    return Core(replace(graph, tensors=tuple(tensors)), (Note(graph.name, what),))


def _computes_in_float32(graph: Graph, node: Node) -> bool:
    return any(_is_float(graph.tensors[index]) for index in node.outputs)


def _is_quantized_constant(tensor: Tensor) -> bool:
    is_known = tensor.data is not None and not tensor.unread
    if tensor.dtype is DType.FLOAT16:
        return is_known
    return is_known and tensor.dtype in _QUANTIZED and tensor.quantization is not None


def as_float32(tensor: Tensor) -> Tensor:
    """A constant as the real numbers that it stands for."""
    assert tensor.data is not None
    values: Array = tensor.data.astype(np.float64)
    if tensor.quantization is not None:
        shape = [1] * len(tensor.shape)
        if tensor.quantization.is_per_axis:
            shape[tensor.quantization.axis] = -1
        scales = np.array(tensor.quantization.scales).reshape(shape)
        zero_points = np.array(tensor.quantization.zero_points).reshape(shape)
        values = (tensor.data.astype(np.float64) - zero_points) * scales
    return replace(tensor, dtype=DType.FLOAT32, quantization=None, data=values.astype(np.float32))
