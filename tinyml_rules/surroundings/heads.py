"""The outputs that decisions are made from: a pass over the model, whose ends are the caller's."""

from __future__ import annotations

from collections.abc import Sequence

from tinyml_rules.ir.graph import Graph
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.surroundings.add_scores import add_score
from tinyml_rules.surroundings.decide.requests import Asked
from tinyml_rules.surroundings.read_logits import read_logits


def add_heads(graph: Graph, operators: Operators, *, asked: Sequence[Asked]) -> Graph:
    """The graph with those outputs; raises UsageError."""
    by_order = [each.position for each in asked if each.output.needs_order_alone]
    graph = read_logits(graph, operators, positions=by_order)
    for each in asked:
        graph = graph if each.reference is None else add_score(graph, each)
    return graph
