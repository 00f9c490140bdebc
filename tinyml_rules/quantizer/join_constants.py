"""Graph -> Graph in which constants that are the same are one: copies that the rewrites made for
their readers stay apart only where they got different numbers."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from tinyml_rules.ir.graph import Graph, Node, Tensor


def join_constants(graph: Graph) -> Graph:
    """The graph, and those that it runs, with each constant once; outputs of the graph stay."""
    first: dict[Hashable, int] = {}
    stands_for = {
        tensor.index: first.setdefault(_key(tensor), tensor.index)
        for tensor in graph.tensors
        if tensor.data is not None and not tensor.is_variable and not tensor.unread
    }

    def joined(node: Node) -> Node:
        inputs = (None if index is None else stands_for.get(index, index) for index in node.inputs)
        return replace(node, inputs=tuple(inputs))

    others = tuple(map(join_constants, graph.others))
    return replace(graph, nodes=tuple(map(joined, graph.nodes)), others=others)


def _key(tensor: Tensor) -> Hashable:
    """What has to be the same for two constants to be one."""
    assert tensor.data is not None
    return tensor.dtype, tensor.shape, tensor.quantization, tensor.data.tobytes()
