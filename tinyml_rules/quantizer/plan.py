"""The nodes that become integers, and of which type: `groups.py` decides that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph, Node, NodeView, Quantization, Tensor
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.ops._shared.quantization import Matrix, QuantizationRule, Weights


@dataclass(frozen=True)
class Int16Part:
    """What is int16: the nodes that compute with it, and those of the graph's inputs and outputs
    that are; `is_default`: every output that such a node makes, and what no integer node makes or
    reads."""

    nodes: frozenset[int] = frozenset()
    ends: frozenset[int] = frozenset()
    is_default: bool = False


NO_INT16 = Int16Part()


@dataclass(frozen=True, eq=False)
class Plan:
    """`graph` has float32 tensors still.  Of those that become integers, but for weights and
    biases, `group` has a number, the same for those of one quantization; `fixed` has what the
    specification says of some groups, `symmetric` those without a zero point, `powers` those whose
    scale is a power of two, and `int16` those that are int16; all others are int8.

    `stands_for` has the tensor whose values another has, which only a QUANTIZE between them sets
    apart; `in_float` are the nodes that stay float32, `in_int16` those that compute with int16.

    `given` has the quantization that the file says of a tensor, `known` that of a group all of
    whose tensors have the same."""

    graph: Graph
    group: Mapping[int, int]
    fixed: Mapping[int, Quantization]
    symmetric: frozenset[int]
    int16: frozenset[int]
    powers: frozenset[int]
    stands_for: Mapping[int, int]
    in_float: frozenset[int]
    in_int16: frozenset[int]
    operators: Operators
    given: Mapping[int, Quantization] = field(default_factory=dict)
    known: Mapping[int, Quantization] = field(default_factory=dict)

    def rule(self, node: Node) -> QuantizationRule | None:
        """The rule of a node that becomes integers."""
        is_integer = node.index not in self.in_float
        return self.operators[node.op].quantization if is_integer else None

    def weights(self, node: Node) -> Weights | None:
        """Where a node of weighted sums has its operands, if it becomes integers and they are
        constants."""
        rule = self.rule(node)
        return None if rule is None else constant_weights(NodeView(self.graph, node), rule)

    @cached_property
    def matrices(self) -> tuple[tuple[Node, Matrix], ...]:
        """The weighted sums of nodes that keep values."""
        found = ((node, self.rule(node)) for node in self.graph.nodes)
        return tuple(
            (node, matrix)
            for node, rule in found
            if rule is not None and rule.memory is not None
            for matrix in rule.memory.sums
        )

    @cached_property
    def weighted(self) -> tuple[Node, ...]:
        """The nodes of weighted sums."""
        return tuple(node for node in self.graph.nodes if self.weights(node) is not None)

    def dtype_of_group(self, group: int) -> DType:
        """The type of a group's tensors."""
        return DType.INT16 if group in self.int16 else DType.INT8

    def members(self, group: int) -> tuple[int, ...]:
        """The tensors of a group."""
        return tuple(index for index, number in self.group.items() if number == group)


def constant_weights(view: NodeView, rule: QuantizationRule) -> Weights | None:
    """Positions of the operands of a node whose weights and bias are float32 constants."""
    if rule.weights is None:
        return None
    filters, bias = view.input(rule.weights.weights), view.optional_input(rule.weights.bias)
    is_constant = filters.is_constant and (bias is None or bias.is_constant)
    is_constant = is_constant and is_float(filters)
    return rule.weights if is_constant else None


def has_floats(graph: Graph, node: Node) -> bool:
    """Whether a node has an operand that could become an integer."""
    return any(is_float(graph.tensors[index]) for index in _operands(node))


def _operands(node: Node) -> Iterable[int]:
    return (index for index in (*node.inputs, *node.outputs) if index is not None)


def is_float(tensor: Tensor) -> bool:
    return tensor.dtype is DType.FLOAT32
