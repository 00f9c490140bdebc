"""Graph -> Program: prepare every node's constants and choose its kernel for the target's features.

Kernels are chosen before memory is planned, because what they may overlap depends on them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tinyml_rules.ir.graph import Graph, Node, NodeView
from tinyml_rules.ir.program import Form, Kernel, Program, Step, Work
from tinyml_rules.ops._shared.operator import Op, Operators


def select(graph: Graph, features: frozenset[str], operators: Operators) -> Program:
    """The program of a checked graph."""
    steps = []
    views: dict[int, int] = {}
    for node in graph.nodes:
        op = operators[node.op]
        view = NodeView(graph, node)
        if op.prepare is None:
            views[view.output.index] = view.input(0).index
            continue
        work = op.prepare(view)
        kernel = choose_kernel(op, work.params, features)
        steps.append(_step(node, kernel, work))
    return Program(graph, tuple(_with_places(steps)), views, features)


def _step(node: Node, kernel: Kernel, work: Work) -> Step:
    """The call of a kernel, with the window only where the kernel walks over rows."""
    if kernel.form is not Form.WINDOW:
        work = replace(work, window=None)
    if kernel.pack is None:
        return Step(node=node, kernel=kernel, **vars(work))
    packed = kernel.pack(work)
    work = replace(work, params=packed.params)
    return Step(node=node, kernel=kernel, external=packed.data, **vars(work))


def _with_places(steps: list[Step]) -> Iterator[Step]:
    """The steps, each told where in the weights file its own part begins."""
    place = 0
    for step in steps:
        if step.kernel.pack is None:
            yield step
            continue
        params: Any = step.params
        yield replace(step, params=replace(params, weights=place))
        place += len(step.external)


def choose_kernel(op: Op, params: object, features: frozenset[str]) -> Kernel:
    """The first kernel, best first, whose features the target has and which takes these params."""
    for kernel in op.kernels:
        if kernel.requires <= features and kernel.when(params):
            return kernel
    raise AssertionError("every operator has a portable kernel for each node that `check` accepts")
