"""One node for several, where an operator has a kernel for all of them at once."""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.ir.graph import Graph
from tinyml_rules.ops._shared.operator import Fusion, Operators


def fuse(graph: Graph, operators: Operators) -> Graph:
    """The graph with such nodes in the place of the last one of those that each replaces, if
    nothing else reads what is between them."""
    has = {node.op for node in graph.nodes}
    fusing = [op.fuse for op in operators.fusing if op.fuse is not None and op.fuses <= has]
    if not fusing:
        return graph
    for node in graph.nodes:
        found = next(filter(None, (each(graph, node, operators) for each in fusing)), None)
        if found is not None and not _is_read_elsewhere(graph, found):
            graph = _fused(graph, found)
    return graph


def _is_read_elsewhere(graph: Graph, fusion: Fusion) -> bool:
    """Whether the caller, or a node that stays, reads what is not there afterwards."""
    within = {
        tensor for node in graph.nodes if node.index in fusion.replaced for tensor in node.outputs
    } - set(fusion.node.outputs)
    others = (node.inputs for node in graph.nodes if node.index not in fusion.replaced)
    return any(within.intersection(each) for each in (graph.outputs, *others))


def _fused(graph: Graph, fusion: Fusion) -> Graph:
    nodes = (
        fusion.node if node.index == fusion.node.index else node
        for node in graph.nodes
        if node.index == fusion.node.index or node.index not in fusion.replaced
    )
    return replace(graph, nodes=tuple(nodes))
