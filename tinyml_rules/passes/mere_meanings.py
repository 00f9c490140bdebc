"""Nodes with a meaning in numpy but no kernel: a node that becomes a table needs none."""

from __future__ import annotations

from tinyml_rules.ir.graph import Graph, NodeView
from tinyml_rules.ops._shared.operator import Operators, Role
from tinyml_rules.passes.tabulate import tabulate


def without_kernels(graph: Graph, operators: Operators) -> list[NodeView]:
    """The maps without a kernel that are left after tables were made."""
    if not _mere_meanings(graph, operators):
        return []
    return _mere_meanings(tabulate(graph, operators), operators)


def _mere_meanings(graph: Graph, operators: Operators) -> list[NodeView]:
    """The maps without a kernel."""
    views = [NodeView(graph, node) for node in graph.nodes]
    maps = [view for view in views if operators[view.node.op].is_map(view)]
    return [view for view in maps if is_mere_meaning(view, operators)]


def is_mere_meaning(view: NodeView, operators: Operators) -> bool:
    """Whether a node that computes has no kernel, and is not folded as a constant."""
    op = operators[view.node.op]
    inputs = [tensor for tensor in view.inputs if tensor is not None]
    is_constant = op.reads_shapes_alone or all(tensor.is_constant for tensor in inputs)
    is_computed = op.role in (Role.COMPUTE, Role.CONVERSION) and op.layout is None
    return is_computed and not is_constant and not op.meaning(view).kernels
