"""The maker and the readers of each tensor of a graph."""

from __future__ import annotations

from collections import Counter

from tinyml_rules.ir.graph import Graph, Node


class Uses:
    """Makers and readers in one graph; its outputs count as reads."""

    def __init__(self, graph: Graph) -> None:
        self._reads = Counter(index for node in graph.nodes for index in node.inputs)
        self._reads.update(graph.outputs)
        self._makers = {index: node for node in graph.nodes for index in node.outputs}

    def maker_of_input(self, node: Node) -> Node | None:
        """The node that makes a node's first input, if one does."""
        first = node.inputs[0] if node.inputs else None
        return None if first is None else self.maker_of(first)

    def maker_of(self, tensor: int) -> Node | None:
        """The node that makes a tensor, if one does."""
        return self._makers.get(tensor)

    def reads_of(self, tensor: int) -> int:
        """How often it is read."""
        return self._reads[tensor]

    def is_read_once(self, node: Node) -> bool:
        """Whether exactly one node reads its output, and not the caller."""
        return self._reads[node.outputs[0]] == 1
