"""Integer Graph -> Graph without conversions between tensors of one quantization."""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.ir.graph import Graph, Node
from tinyml_rules.ops._shared.operator import Operators, Role


def join_conversions(graph: Graph, operators: Operators) -> Graph:
    """The graph whose nodes read what such a conversion reads; an output keeps its name, and the
    nodes are numbered in their order."""
    tensors, stands_for = list(graph.tensors), dict[int, int]()
    nodes: list[Node] = []
    for node in graph.nodes:
        inputs = tuple(None if each is None else stands_for.get(each, each) for each in node.inputs)
        if operators[node.op].role is Role.CONVERSION and _changes_nothing(graph, node):
            (source, *_), (result, *_) = inputs, node.outputs
            assert source is not None
            is_end = result in graph.outputs
            if not (is_end and (source in graph.inputs or source in graph.outputs)):
                stands_for[result] = source
                if is_end:
                    tensors[source] = replace(tensors[source], name=tensors[result].name)
                continue
        nodes.append(replace(node, index=len(nodes), inputs=inputs))
    outputs = tuple(stands_for.get(index, index) for index in graph.outputs)
    return replace(graph, tensors=tuple(tensors), nodes=tuple(nodes), outputs=outputs)


def _changes_nothing(graph: Graph, node: Node) -> bool:
    (source, *_), (result, *_) = node.inputs, node.outputs
    assert source is not None
    before, after = graph.tensors[source], graph.tensors[result]
    return before.dtype is after.dtype and before.quantization == after.quantization
