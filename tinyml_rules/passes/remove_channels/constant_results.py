"""A node all of whose results have one value, whatever the input is, becomes constants."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tinyml_rules.ir.graph import Graph, Node, NodeView, Tensor, Trimmed
from tinyml_rules.ops._shared.interval import Intervals
from tinyml_rules.ops._shared.operator import Operators, Role

_FOLDED = (Role.COMPUTE, Role.LAYOUT)


def fold_constant_results(
    graph: Graph, operators: Operators, intervals: Intervals
) -> tuple[Graph, list[Trimmed]]:
    """The graph without those nodes, and what to tell of them.  A result stays computed where a
    node that reads it does not take a constant in its place."""
    tensors, kept, told = list(graph.tensors), [], []
    for node in graph.nodes:
        results = _results(graph, node, operators, intervals)
        candidate = _with(tensors, results)
        if not results or not _is_taken(graph, candidate, node, operators):
            kept.append(node)
            continue
        tensors = candidate
        channels = sum(tensor.shape[-1] if tensor.shape else 1 for tensor in results)
        told.append(Trimmed(node.index, node.op, channels, constant=channels))
    return replace(graph, tensors=tuple(tensors), nodes=tuple(kept)), told


def _with(tensors: list[Tensor], changed: list[Tensor]) -> list[Tensor]:
    found = list(tensors)
    for tensor in changed:
        found[tensor.index] = tensor
    return found


def _results(graph: Graph, node: Node, operators: Operators, intervals: Intervals) -> list[Tensor]:
    """The outputs as constants; none where one of them is not."""
    found: list[Tensor] = []
    is_folded = operators[node.op].role in _FOLDED
    for index in node.outputs if is_folded else ():
        interval = intervals.get(index)
        if interval is None or not interval.is_constant or graph.tensors[index].is_variable:
            return []
        values = np.ascontiguousarray(interval.low).reshape(interval.low.shape)
        found.append(replace(graph.tensors[index], data=values))
    return found


def _is_taken(graph: Graph, tensors: list[Tensor], node: Node, operators: Operators) -> bool:
    """Whether all readers are right with constants in the place of a node's results."""
    changed = replace(graph, tensors=tuple(tensors))
    readers = (each for each in graph.nodes if set(each.inputs) & set(node.outputs))
    views = (NodeView(changed, reader) for reader in readers)
    return not any(any(operators[view.node.op].meaning(view).check(view)) for view in views)
