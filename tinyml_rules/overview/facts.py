"""Graph -> Overview: every node's work and constants, the totals, and what is not supported.

For any graph that the reader gives, one that this compiler refuses included.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tinyml_rules.errors import Problem, TinymlError
from tinyml_rules.ir.dtype import file_bytes
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Graph, Node, NodeView, Tensor, Trimmed
from tinyml_rules.ops._shared.constraints import operand_counts
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.passes import run_passes, simplified
from tinyml_rules.passes.cautions import find_cautions
from tinyml_rules.passes.check import problems_of, unsupported_nodes


@dataclass(frozen=True)
class NodeFacts:
    """One node.  `macs` is None if the operator is unknown."""

    node: Node
    parameters: int
    constant_bytes: int
    macs: int | None
    is_supported: bool
    is_constant: bool = False
    """The compiler computes its results, so that nothing is left of it."""
    trimmed: Trimmed | None = None
    """The channels that a compilation removes, if any."""
    sums: tuple[int, int] | None = None
    """The least and the greatest sum of products that any input gives, of the other channels."""


@dataclass(frozen=True)
class Overview:
    """A whole model; constants that several nodes read count once."""

    graph: Graph
    file_bytes: int
    nodes: tuple[NodeFacts, ...]
    parameters: int
    constant_bytes: int
    macs: int
    has_all_macs: bool
    largest: Tensor | None
    """The largest tensor that is computed or given at run time."""
    problems: tuple[Problem, ...]
    cautions: tuple[Problem, ...] = ()
    """Warnings of a supported model."""


def overview(
    graph: Graph,
    operators: Operators,
    *,
    file_bytes: int,
    features: frozenset[Feature] = frozenset(),
) -> Overview:
    """The facts of a graph that was read and not checked; of its channels for a target with the
    features.  Nodes are those of the file; what is wrong is judged as for a compilation."""
    simple = simplified(graph, operators)
    problems = problems_of(simple, operators)
    nodes = _nodes(graph, simple, operators)
    if not problems:
        nodes = _with_ranges(nodes, graph, operators, features)
    constants = _constants(graph, (index for node in graph.nodes for index in node.inputs))
    known = [each.macs for each in nodes if each.macs is not None]
    return Overview(
        graph=graph,
        file_bytes=file_bytes,
        nodes=nodes,
        parameters=sum(map(_parameters, constants)),
        constant_bytes=sum(map(_stored_bytes, constants)),
        macs=sum(known),
        has_all_macs=len(known) == len(nodes),
        largest=_largest(graph),
        problems=problems,
        cautions=() if problems else find_cautions(simple, operators).cautions,
    )


def _largest(graph: Graph) -> Tensor | None:
    made = {*graph.inputs, *(index for node in graph.nodes for index in node.outputs)}
    at_run_time = [graph.tensors[index] for index in sorted(made)]
    return max(at_run_time, key=tensor_bytes, default=None)


def _nodes(graph: Graph, simple: Graph, operators: Operators) -> tuple[NodeFacts, ...]:
    """The facts of all nodes of the file, from those that remain in the simple graph."""
    left = {node.index for node in simple.nodes if not node.origin}
    refused = unsupported_nodes(simple, operators) & left
    return tuple(
        replace(
            _node_facts(graph, node, operators, is_supported=node.index not in refused),
            is_constant=node.index not in left and _has_constants(simple, node),
        )
        for node in graph.nodes
    )


def _has_constants(simple: Graph, node: Node) -> bool:
    return all(simple.tensors[index].is_constant for index in node.outputs)


def _with_ranges(
    nodes: tuple[NodeFacts, ...], graph: Graph, operators: Operators, features: frozenset[Feature]
) -> tuple[NodeFacts, ...]:
    """The nodes with what the passes know of their channels, where those take the model; layers
    that a table replaced included."""
    try:
        left = run_passes(graph, operators, features, keeps_layers=True)
    except TinymlError:
        return nodes
    trimmed = {each.node: each for each in left.trimmed if each.constant + each.unused}
    sums = {
        node.index: left.known.sums[node.outputs[0]]
        for node in left.nodes
        if node.outputs and node.outputs[0] in left.known.sums
    }
    return tuple(
        replace(each, trimmed=trimmed.get(each.node.index), sums=sums.get(each.node.index))
        for each in nodes
    )


def tensor_bytes(tensor: Tensor) -> int:
    """Bytes of a tensor's values; types that are not numbers count as pointers do, 4."""
    return file_bytes(tensor.dtype, tensor.count)


def _node_facts(graph: Graph, node: Node, operators: Operators, *, is_supported: bool) -> NodeFacts:
    constants = _constants(graph, node.inputs)
    return NodeFacts(
        node=node,
        parameters=sum(map(_parameters, constants)),
        constant_bytes=sum(map(_stored_bytes, constants)),
        macs=_macs(graph, node, operators),
        is_supported=is_supported,
    )


def _constants(graph: Graph, indices: Iterable[int | None]) -> list[Tensor]:
    unique = sorted({index for index in indices if index is not None})
    return [graph.tensors[index] for index in unique if graph.tensors[index].is_constant]


def _parameters(tensor: Tensor) -> int:
    """Numbers that were trained: a shape or an axis has neither a scale nor fractions."""
    return tensor.count if tensor.quantization or tensor.dtype.is_real else 0


def _stored_bytes(tensor: Tensor) -> int:
    return 0 if tensor.data is None else tensor.data.nbytes


def _macs(graph: Graph, node: Node, operators: Operators) -> int | None:
    op, view = operators.get(node.op), NodeView(graph, node)
    if op is None or any(operand_counts(view)):
        return None
    return 0 if op.macs is None else op.macs(view)
