"""A border of zeros around the image of a window becomes the window's own padding.

The cells then are never written: a kernel takes a cell outside the image to hold the zero point.
"""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.ir.graph import Graph, Node, NodeView
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.passes.uses import Uses


def fold_pad(graph: Graph, operators: Operators) -> Graph:
    """The graph without the nodes that put such a border there, where nobody else reads it."""
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
    """The node on what `maker` puts a border around; None where that is not the same."""
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
