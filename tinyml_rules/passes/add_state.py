"""What operators keep from one inference to the next, and the file does not name: variables.

They become a node's last inputs, so that what is done for variables of the file is done for them.
"""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.ir.graph import Graph, NodeView
from tinyml_rules.ops._shared.operator import Operators


def add_state(graph: Graph, operators: Operators) -> Graph:
    """The graph with a tensor for each such value."""
    tensors, nodes = list(graph.tensors), []
    for node in graph.nodes:
        inputs = list(node.inputs)
        for value in operators[node.op].state(NodeView(graph, node)):
            inputs.append(len(tensors))
            tensors.append(replace(value, index=len(tensors), is_variable=True))
        nodes.append(replace(node, inputs=tuple(inputs)))
    return replace(graph, tensors=tuple(tensors), nodes=tuple(nodes))
