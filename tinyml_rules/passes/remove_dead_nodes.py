"""Drops nodes whose results are not read."""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.ir.graph import Graph, Node
from tinyml_rules.ops._shared.operator import Operators, Role


def remove_dead_nodes(graph: Graph, operators: Operators) -> Graph:
    """From the end backwards: a node stays where an output of it is read or is the model's, and
    where it changes a variable or may."""
    needed = set(graph.outputs)
    kept = []
    for node in reversed(graph.nodes):
        if needed.intersection(node.outputs) or _has_effect(graph, node, operators):
            needed.update(tensor for tensor in node.inputs if tensor is not None)
            kept.append(node)
    return replace(graph, nodes=tuple(reversed(kept)))


def _has_effect(graph: Graph, node: Node, operators: Operators) -> bool:
    op = operators.get(node.op)
    if op is not None and op.role in (Role.EFFECT, Role.CALL):
        return True
    is_move = op is not None and op.role is Role.LAYOUT
    tensors = [
        graph.tensors[index]
        for index in (*node.outputs, *(() if is_move else node.inputs))
        if index is not None
    ]
    return not node.outputs or any(tensor.is_variable for tensor in tensors)
