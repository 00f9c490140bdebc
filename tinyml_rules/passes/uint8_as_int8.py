"""Models of TensorFlow 1: tensors of uint8 are read as int8 with a zero point 128 lower.

The bytes differ in their highest bit alone, and mean the same real numbers, so that the kernels for
int8 do the work.  Inputs and outputs of the model stay uint8, and so does what an operator computes
in uint8; a table that flips the bit is between the two.  Results are those of LiteRT's kernels for
uint8 (`Graph.is_of_uint8`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

import numpy as np

from tinyml_rules.arithmetic.fixed_point import INT8_MAX, INT8_MIN
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, Graph, Node, NodeView, Quantization, Tensor
from tinyml_rules.ir.rounding_reference import RoundingReference
from tinyml_rules.ops._shared.constraints import WrongType, operand_counts
from tinyml_rules.ops._shared.operator import Operators, Role
from tinyml_rules.passes.tabulate import table_node, table_of

_HIGHEST_BIT = np.uint8(0x80)


def uint8_as_int8(graph: Graph, operators: Operators) -> Graph:
    """The graph with such tensors; the same where no node is refused for one."""
    views = [NodeView(graph, node) for node in graph.nodes]
    refused = {view.node.index for view in views if _is_refused(view, operators)}
    if not refused:
        return graph
    moving = {view.node.index for view in views if _only_moves(view, operators)}
    return _Conversion(graph, operators, refused | moving).graph()


def _is_refused(view: NodeView, operators: Operators) -> bool:
    """Whether a node computes in uint8 where its operator does not."""
    op = operators.get(view.node.op)
    tensors = _tensors(view)
    if op is None or any(operand_counts(view)) or not any(map(_is_computed, tensors)):
        return False
    if any(each.dtype is DType.INT8 for each in tensors):
        return False  # no kernel of LiteRT computes with both
    found = (each.tensor for each in op.problems(view) if isinstance(each, WrongType))
    return any(map(_is_uint8, found))


def _only_moves(view: NodeView, operators: Operators) -> bool:
    op = operators.get(view.node.op)
    is_layout = op is not None and op.role is Role.LAYOUT
    return is_layout and any(map(_is_computed, _tensors(view)))


def _tensors(view: NodeView) -> list[Tensor]:
    return [each for each in (*view.inputs, *view.outputs) if each is not None]


def _is_uint8(tensor: Tensor) -> bool:
    """Whether it can be int8: with one scale, and no variable."""
    found = tensor.quantization
    is_scaled = found is not None and not found.is_per_axis and not tensor.is_variable
    return tensor.dtype is DType.UINT8 and is_scaled


def _is_computed(tensor: Tensor) -> bool:
    return _is_uint8(tensor) and not tensor.is_constant


def _as_int8(tensor: Tensor, index: int) -> Tensor:
    """The same numbers as int8."""
    assert tensor.quantization is not None
    zero_points = tuple(each + INT8_MIN for each in tensor.quantization.zero_points)
    return replace(
        tensor,
        index=index,
        dtype=DType.INT8,
        quantization=replace(tensor.quantization, zero_points=zero_points),
        data=None if tensor.data is None else _flipped(tensor.data),
    )


def _flipped(values: Array) -> Array:
    return (values.view(np.uint8) ^ _HIGHEST_BIT).view(np.int8)


def centred(weights: Tensor) -> Tensor:
    """Weights without their zero point where all of them are int8 then: what kernels take."""
    assert weights.quantization is not None and weights.data is not None
    found = weights.data.astype(np.int16) - weights.quantization.zero_points[0]
    if found.size == 0 or found.min() < INT8_MIN or found.max() > INT8_MAX:
        return weights
    quantization = Quantization(weights.quantization.scales, (0,))
    return replace(weights, quantization=quantization, data=found.astype(np.int8))


class _Conversion:
    """Of the nodes with these numbers."""

    def __init__(self, graph: Graph, operators: Operators, chosen: Collection[int]) -> None:
        self._graph = graph
        self._chosen = chosen
        self._weights = set(_weights_alone(graph, operators))
        self._tensors = list(graph.tensors)
        self._free = 1 + max(node.index for node in graph.nodes)
        inside = {index for node in self._converted() for index in _operands(node)}
        outside = {*graph.inputs, *graph.outputs}
        outside.update(
            index for node in graph.nodes if node.index not in chosen for index in _operands(node)
        )
        self._names = {
            tensor.index: self._converted_tensor(tensor, is_shared=tensor.index in outside)
            for tensor in graph.tensors
            if tensor.index in inside and _is_uint8(tensor)
        }

    def graph(self) -> Graph:
        """The graph of the result."""
        nodes = [
            self._flip(index, self._names[index]) for index in self._shared(self._graph.inputs)
        ]
        for node in self._graph.nodes:
            is_chosen = node.index in self._chosen
            nodes.append(self._renamed(node) if is_chosen else node)
            for index in self._shared(node.outputs):
                pair = (index, self._names[index])
                nodes.append(self._flip(*(pair[::-1] if is_chosen else pair)))
        return replace(
            self._graph,
            nodes=tuple(nodes),
            tensors=tuple(self._tensors),
            reference=RoundingReference.LITERT,
            is_of_uint8=True,
        )

    def _converted(self) -> Iterable[Node]:
        return (node for node in self._graph.nodes if node.index in self._chosen)

    def _converted_tensor(self, tensor: Tensor, *, is_shared: bool) -> int:
        """The number of the tensor as int8: a new one if something else needs it as it is."""
        found = _as_int8(tensor, len(self._tensors) if is_shared else tensor.index)
        found = centred(found) if tensor.index in self._weights else found
        if is_shared:
            self._tensors.append(found)
        else:
            self._tensors[tensor.index] = found
        return found.index

    def _shared(self, indices: Iterable[int]) -> list[int]:
        """Those of them that are both uint8 and int8."""
        return [index for index in dict.fromkeys(indices) if self._names.get(index, index) != index]

    def _renamed(self, node: Node) -> Node:
        names = self._names
        inputs = tuple(None if each is None else names.get(each, each) for each in node.inputs)
        outputs = tuple(names.get(each, each) for each in node.outputs)
        return replace(node, inputs=inputs, outputs=outputs)

    def _flip(self, source: int, result: int) -> Node:
        """A node that makes the one tensor of the other."""
        given, made = self._tensors[source], self._tensors[result]
        assert made.dtype.numpy is not None
        values = (np.arange(256, dtype=np.uint8) ^ _HIGHEST_BIT).view(made.dtype.numpy)
        table = table_of(made, values, index=len(self._tensors))
        self._tensors.append(table)
        node = Node(self._free, "", 1, (), (made.index,), None)
        self._free += 1
        return table_node(node, given, table)


def _operands(node: Node) -> list[int]:
    return [index for index in (*node.inputs, *node.outputs) if index is not None]


def _weights_alone(graph: Graph, operators: Operators) -> Iterable[int]:
    """Constants that are nothing but the weights of sums, whose zero point matters to nobody."""
    readers: dict[int, set[bool]] = {}
    for node in graph.nodes:
        op = operators.get(node.op)
        rule = None if op is None or op.quantization is None else op.quantization.weights
        for place, index in enumerate(node.inputs):
            if index is not None:
                is_weights = rule is not None and place == rule.weights
                readers.setdefault(index, set()).add(is_weights)
    return (
        index
        for index, kinds in readers.items()
        if kinds == {True} and graph.tensors[index].data is not None
    )
