"""Decides which copies of a variable are unnecessary: a tensor read from it may share its buffer
until it is changed, and a tensor assigned to it may be computed there after the last read of the
old values.

A place is a node's position in the graph.  This needs the nodes in the graph's order, which the
planner keeps if a variable is written.
"""

from __future__ import annotations

from collections.abc import Callable

from tinyml_rules.ir.graph import Graph, Node, NodeView
from tinyml_rules.ops._shared.operator import Operators, Role

RootOf = Callable[[int], int]
"""Returns the tensor that has all of the buffer that a tensor is in."""


class Variables:
    """Who reads and who changes the tensors of a graph, and where."""

    def __init__(self, graph: Graph, operators: Operators) -> None:
        self._graph = graph
        self._operators = operators
        self._end = len(graph.nodes)
        self._positions = {node.index: place for place, node in enumerate(graph.nodes)}
        self._made = {
            index: place for place, node in enumerate(graph.nodes) for index in node.outputs
        }
        self._readers: dict[int, list[int]] = {}
        for place, node in enumerate(graph.nodes):
            for index in node.inputs:
                if index is not None:
                    self._readers.setdefault(index, []).append(place)

    def is_steady(self, node: Node, variable: int) -> bool:
        """Whether a variable stays as a layout node finds it until the last use of the outputs."""
        changes = self._changes(variable, self._positions[node.index] + 1)
        return max(map(self._last_use, node.outputs)) < changes

    def may_be_made_in(self, node: Node, source: int, variable: int, root_of: RootOf) -> bool:
        """Whether the tensor that a node assigns to a variable, which is alone in its buffer, may
        be computed in the variable's buffer."""
        if root_of(source) in (variable, *map(root_of, self._graph.inputs)):
            return False
        assigned = self._positions[node.index]
        inside = {each for each in self._made if root_of(each) == root_of(source)}
        begun = min(self._made[each] for each in inside)
        between = self._graph.nodes[begun:assigned]
        is_read = any(
            index is not None and root_of(index) == variable
            for each in between
            for index in (*each.inputs, *each.outputs)
        )
        last = max(map(self._last_use, inside))
        is_kept = last < self._changes(variable, assigned + 1)
        return not is_read and is_kept and not any(map(self._may_end, between))

    def _changes(self, variable: int, first: int) -> float:
        """The place, from `first` on, at which a variable gets another value."""
        for place, node in enumerate(self._graph.nodes[first:], start=first):
            is_effect = self._operators[node.op].role is Role.EFFECT
            if variable in node.outputs or (is_effect and variable in node.inputs):
                return place
        return float("inf")

    def _last_use(self, tensor: int) -> int:
        """The last place that reads a tensor, or one that may share its buffer."""
        last, seen, left = -1, {tensor}, [tensor]
        while left:
            index = left.pop()
            if index in self._graph.outputs:
                return self._end
            for place in self._readers.get(index, []):
                node = self._graph.nodes[place]
                last = max(last, place)
                if self._operators[node.op].layout is not None:
                    left += set(node.outputs) - seen
                    seen.update(node.outputs)
        return last

    def _may_end(self, node: Node) -> bool:
        return self._operators[node.op].meaning(NodeView(self._graph, node)).may_end
