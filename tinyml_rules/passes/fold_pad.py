"""A border of zeros around the image of a window becomes the window's own padding.

The cells then are never written: a kernel takes a cell outside the image to hold the zero point.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from tinyml_rules.ir.graph import Graph, Node, NodeView
from tinyml_rules.ops._shared.operator import Operators


def fold_pad(graph: Graph, operators: Operators) -> Graph:
    """The graph without the nodes that put such a border there, where nobody else reads it."""
    reads = Counter(index for node in graph.nodes for index in node.inputs)
    reads.update(graph.outputs)
    makers = {index: node for node in graph.nodes for index in node.outputs}
    nodes, folded = [], set()
    for node in graph.nodes:
        maker = makers.get(node.inputs[0]) if node.inputs and node.inputs[0] is not None else None
        found = node
        while maker is not None and reads[maker.outputs[0]] == 1:
            padded = _without_border(graph, found, maker, operators)
            if padded is None:
                break
            found = padded
            folded.add(maker.index)
            source = maker.inputs[0]
            maker = None if source is None else makers.get(source)
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
    return None if any(reader.meaning(view).check(view)) else found
