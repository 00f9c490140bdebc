"""What an operator computes better in integers than the nodes that a converter has written."""

from __future__ import annotations

from tinyml_rules.ir.graph import Graph
from tinyml_rules.ops._shared.operator import Operators


def integer_forms(graph: Graph, operators: Operators) -> Graph:
    """The graph with such operators; nodes that nothing reads any more are still there."""
    rules = [op.quantization for op in operators.values() if op.quantization is not None]
    forms = [rule.form for rule in rules if rule.form is not None]
    for node in graph.nodes:
        found = next(filter(None, (form(graph, node, operators) for form in forms)), None)
        graph = graph if found is None else found
    return graph
