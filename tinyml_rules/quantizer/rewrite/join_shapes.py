"""Of two consecutive operators that only change the shape, keeps the second."""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.ir.graph import Graph, Node
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.passes.uses import Uses


def join_shapes(graph: Graph, operators: Operators) -> Graph:
    """The graph in which the second reads what the first does."""
    nodes: list[Node] = []
    made = replace(graph, nodes=())
    for node in graph.nodes:
        maker = Uses(replace(made, nodes=tuple(nodes))).maker_of_input(node)
        found = node
        if maker is not None and _gives_shape(node, operators) and _gives_shape(maker, operators):
            found = replace(node, inputs=(maker.inputs[0], *node.inputs[1:]))
        nodes.append(found)
    return replace(graph, nodes=tuple(nodes))


def _gives_shape(node: Node, operators: Operators) -> bool:
    rule = operators[node.op].quantization
    return rule is not None and rule.gives_shape
