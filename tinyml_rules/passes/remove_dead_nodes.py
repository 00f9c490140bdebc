"""Drop nodes whose results nobody reads."""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.ir.graph import Graph


def remove_dead_nodes(graph: Graph) -> Graph:
    """From the end backwards: a node stays where an output of it is read or is the model's."""
    needed = set(graph.outputs)
    kept = []
    for node in reversed(graph.nodes):
        if needed.intersection(node.outputs):
            needed.update(tensor for tensor in node.inputs if tensor is not None)
            kept.append(node)
    return replace(graph, nodes=tuple(reversed(kept)))
