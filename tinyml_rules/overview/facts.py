"""Graph -> Overview: every node's work and constants, the totals, and what is not supported.

For any graph that the reader gives, one that this compiler refuses included.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tinyml_rules.errors import Problem
from tinyml_rules.ir.dtype import file_bytes
from tinyml_rules.ir.graph import Graph, Node, NodeView, Tensor
from tinyml_rules.ops._shared.constraints import operand_counts
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.passes.check import problems_of, unsupported_nodes


@dataclass(frozen=True)
class NodeFacts:
    """One node.  `macs` is None where the operator is not known here, so that nobody can tell."""

    node: Node
    parameters: int
    constant_bytes: int
    macs: int | None
    is_supported: bool


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


def overview(graph: Graph, operators: Operators, *, file_bytes: int) -> Overview:
    """The facts of a graph that was read and not checked."""
    refused = unsupported_nodes(graph, operators)
    nodes = tuple(
        _node_facts(graph, node, operators, is_supported=node.index not in refused)
        for node in graph.nodes
    )
    constants = _constants(graph, (index for node in graph.nodes for index in node.inputs))
    at_run_time = [
        graph.tensors[index]
        for index in sorted(
            {*graph.inputs, *(index for node in graph.nodes for index in node.outputs)}
        )
    ]
    known = [each.macs for each in nodes if each.macs is not None]
    return Overview(
        graph=graph,
        file_bytes=file_bytes,
        nodes=nodes,
        parameters=sum(map(_parameters, constants)),
        constant_bytes=sum(map(_stored_bytes, constants)),
        macs=sum(known),
        has_all_macs=len(known) == len(nodes),
        largest=max(at_run_time, key=tensor_bytes, default=None),
        problems=problems_of(graph, operators),
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
    if op is None or any(operand_counts(view, inputs=op.input_counts, outputs=op.output_counts)):
        return None
    return 0 if op.macs is None else op.macs(view)
