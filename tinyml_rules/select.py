"""Graph -> Program: prepare every node's constants and choose its kernel for the target's features.

Kernels are chosen before memory is planned, because what they may overlap depends on them.
"""

from __future__ import annotations

from tinyml_rules.ir.graph import Graph, NodeView
from tinyml_rules.ir.program import Program
from tinyml_rules.ops import all_ops


def select(graph: Graph, features: frozenset[str]) -> Program:
    """The program of a checked graph."""
    steps = []
    views: dict[int, int] = {}
    for node in graph.nodes:
        op = all_ops()[node.op]
        view = NodeView(graph, node)
        if op.is_view:
            views[view.output.index] = view.input(0).index
            continue
        step = op.select(view, features)
        assert step is not None
        steps.append(step)
    return Program(graph, tuple(steps), views, features)
