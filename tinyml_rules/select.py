"""Graph -> Program: prepare every node's constants and choose its kernel for the target's features.

Kernels are chosen before memory is planned, because what they may overlap depends on them.
"""

from __future__ import annotations

from tinyml_rules.ir.graph import Graph, NodeView
from tinyml_rules.ir.program import Kernel, Program, Step
from tinyml_rules.ops import all_ops
from tinyml_rules.ops.operator import Op


def select(graph: Graph, features: frozenset[str]) -> Program:
    """The program of a checked graph."""
    steps = []
    views: dict[int, int] = {}
    for node in graph.nodes:
        op = all_ops()[node.op]
        view = NodeView(graph, node)
        if op.prepare is None:
            views[view.output.index] = view.input(0).index
            continue
        work = op.prepare(view)
        kernel = choose_kernel(op, work.params, features)
        steps.append(Step(node=node, kernel=kernel, **vars(work)))
    return Program(graph, tuple(steps), views, features)


def choose_kernel(op: Op, params: object, features: frozenset[str]) -> Kernel:
    """The first kernel, best first, whose features the target has and which takes these params."""
    for kernel in op.kernels:
        if kernel.requires <= features and kernel.when(params):
            return kernel
    raise AssertionError("every operator has a portable kernel for each node that `check` accepts")
