"""Merges a border of zeros around the image of a window into the window's own padding.

The border is then never written: a kernel reads cells outside the image as the zero point.
"""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.ir.graph import Graph, Node, NodeView
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.passes.uses import Uses


def fold_pad(graph: Graph, operators: Operators) -> Graph:
    """The graph without the nodes that add such a border, if no other node reads it."""
    uses = Uses(graph)
    nodes, folded = [], set()
    for node in graph.nodes:
        maker, found = uses.maker_of_input(node), node
        while maker is not None and uses.is_read_once(maker):
            padded = _without_border(graph, found, maker, operators)
            if padded is None:
                break
            found = padded
            folded.add(maker.index)
            maker = uses.maker_of_input(maker)
        nodes.append(found)
    kept = tuple(node for node in nodes if node.index not in folded)
    return replace(graph, nodes=kept)


def _without_border(graph: Graph, node: Node, maker: Node, operators: Operators) -> Node | None:
    """The node on the image to which `maker` adds a border; None if it would not compute the
    same."""
    reader, source_op = operators[node.op], operators[maker.op]
    if reader.with_border is None or source_op.border is None:
        return None
    made = NodeView(graph, maker)
    source = made.input(0)
    pads = source_op.border(made)
    if pads is None or source.is_variable or source.quantization != made.output.quantization:
        return None
    attrs = reader.with_border(NodeView(graph, node), pads)
    if attrs is None:
        return None
    found = replace(node, attrs=attrs, inputs=(source.index, *node.inputs[1:]))
    view = NodeView(graph, found)
    return None if reader.problems(view) else found
