"""Makes variables of values that operators keep between inferences without a tensor in the file.

They become a node's last inputs, and are then treated like variables of the file.
"""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.ir.graph import Graph, NodeView
from tinyml_rules.ops._shared.operator import Operators


def add_state(graph: Graph, operators: Operators) -> Graph:
    """The graph with a variable tensor for each such value."""
    tensors, nodes = list(graph.tensors), []
    for node in graph.nodes:
        inputs = list(node.inputs)
        for value in operators[node.op].state(NodeView(graph, node)):
            inputs.append(len(tensors))
            tensors.append(replace(value, index=len(tensors), is_variable=True))
        nodes.append(replace(node, inputs=tuple(inputs)))
    return replace(graph, tensors=tuple(tensors), nodes=tuple(nodes))
