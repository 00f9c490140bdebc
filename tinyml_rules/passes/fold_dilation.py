"""A window over every n-th cell is one window with dilation.

Converters write it as three nodes: they cut the image into many, slide a window over each, and
join the results.
"""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.ir.graph import Graph, Node, NodeView
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.passes.uses import Uses


def fold_dilation(graph: Graph, operators: Operators) -> Graph:
    """The graph with one node for each such three, if no other node reads the tensors in
    between."""
    uses = Uses(graph)
    made: dict[int, Node] = {}
    folded: set[int] = set()
    for node in graph.nodes:
        window = uses.maker_of_input(node)
        first = None if window is None else uses.maker_of_input(window)
        if window is None or first is None or not all(map(uses.is_read_once, (first, window))):
            continue
        found = _dilated(graph, (first, window, node), operators)
        if found is not None:
            made[node.index] = found
            folded |= {first.index, window.index}
    kept = (node for node in graph.nodes if node.index not in folded)
    return replace(graph, nodes=tuple(made.get(node.index, node) for node in kept))


def _dilated(graph: Graph, nodes: tuple[Node, Node, Node], operators: Operators) -> Node | None:
    """One node for three; None if it would not compute the same."""
    first, window, last = nodes
    cut, joined = operators[first.op].cut, operators[last.op].joined
    op = operators[window.op]
    if cut is None or joined is None or op.with_dilation is None:
        return None
    views = NodeView(graph, first), NodeView(graph, last)
    for view in views:
        source = view.input(0)
        if source.quantization != view.output.quantization or source.is_variable:
            return None
    attrs = op.with_dilation(NodeView(graph, window), cut(views[0]), joined(views[1]))
    inputs = (first.inputs[0], *window.inputs[1:])
    found = replace(window, inputs=inputs, outputs=last.outputs, attrs=attrs)
    view = NodeView(graph, found)
    return None if attrs is None or op.problems(view) else found
