"""A node whose results each have one value, for all inputs, is replaced by constants."""

from __future__ import annotations

from collections import ChainMap, defaultdict
from dataclasses import replace

import numpy as np

from tinyml_rules.ir.graph import Graph, Node, NodeView, Tensor, Trimmed
from tinyml_rules.ops._shared.interval import Intervals
from tinyml_rules.ops._shared.operator import Operators, Role

_FOLDED = (Role.COMPUTE, Role.LAYOUT)


def fold_constant_results(
    graph: Graph, operators: Operators, intervals: Intervals
) -> tuple[Graph, list[Trimmed]]:
    """The graph without those nodes, and their entries of the report.  A result is still computed
    if a node that reads it does not accept a constant."""
    readers: dict[int | None, list[Node]] = defaultdict(list)
    for node in graph.nodes:
        for index in {*node.inputs}:
            readers[index].append(node)
    changed: dict[int, Tensor] = {}
    kept, told = [], []
    for node in graph.nodes:
        results = _results(graph, node, operators, intervals)
        candidate = ChainMap({tensor.index: tensor for tensor in results}, changed)
        of_results = [reader for index in node.outputs for reader in readers[index]]
        views = (NodeView(graph, reader, changed=candidate) for reader in of_results)
        if not results or not all(_is_right(view, operators) for view in views):
            kept.append(node)
            continue
        changed.update(candidate.maps[0])
        channels = sum(tensor.shape[-1] if tensor.shape else 1 for tensor in results)
        told.append(Trimmed(node.index, node.op, channels, constant=channels))
    tensors = tuple(changed.get(tensor.index, tensor) for tensor in graph.tensors)
    return replace(graph, tensors=tensors, nodes=tuple(kept)), told


def _results(graph: Graph, node: Node, operators: Operators, intervals: Intervals) -> list[Tensor]:
    """The outputs as constants; empty if one of them is not."""
    found: list[Tensor] = []
    is_folded = operators[node.op].role in _FOLDED
    for index in node.outputs if is_folded else ():
        interval = intervals.get(index)
        if interval is None or not interval.is_constant or graph.tensors[index].is_variable:
            return []
        values = np.ascontiguousarray(interval.low).reshape(interval.low.shape)
        found.append(replace(graph.tensors[index], data=values))
    return found


def _is_right(view: NodeView, operators: Operators) -> bool:
    return not operators[view.node.op].problems(view)
