"""Where tensors are in buffers, so that what only moves elements need not be copied.

A tensor whose elements are some of another's, side by side and in their order, is in it; the
inputs of what joins tensors are in its output from the start.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tinyml_rules.ir.buffers import Buffer, Layout, Life, Place
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Graph, Node, NodeView, Tensor
from tinyml_rules.lower.variables import Variables
from tinyml_rules.ops._shared.moves import run_of
from tinyml_rules.ops._shared.operator import Operators


@dataclass(frozen=True)
class Layouts:
    """`copies`: by node, the places of a layout operator that have to be copied after all."""

    layouts: Mapping[int, Layout]
    buffers: Mapping[int, Buffer]
    copies: Mapping[int, tuple[Place, ...]]


def lay_out(graph: Graph, operators: Operators, features: frozenset[Feature]) -> Layouts:
    """Every tensor that is not a constant, in a buffer."""
    tree = _Tree(graph, Variables(graph, operators))
    copies = {}
    for node in graph.nodes:
        layout = operators[node.op].layout
        places = None if layout is None else layout(NodeView(graph, node))
        if places is not None:
            copies[node.index] = tree.place(node, tuple(places))
    layouts = {index: tree.layout(index) for index in _stored(graph)}
    layouts |= {layout.buffer: Layout(layout.buffer) for layout in layouts.values()}
    buffers = {
        index: buffer_of(graph.tensors[index], features)
        for index in dict.fromkeys(layout.buffer for layout in layouts.values())
    }
    return Layouts(layouts, buffers, copies)


def buffer_of(tensor: Tensor, features: frozenset[Feature]) -> Buffer:
    """The buffer of a tensor that is in no other."""
    return Buffer(
        size_bytes=tensor.size_bytes,
        alignment=1 if Feature.AVR in features else tensor.dtype.size_bytes,
        tensor=tensor.index,
        life=Life.MODEL if tensor.is_variable else Life.INFERENCE,
    )


def _stored(graph: Graph) -> Iterator[int]:
    """Every tensor that takes memory, in the order of the graph."""
    found = [*graph.inputs]
    found += [tensor.index for tensor in graph.tensors if tensor.is_variable]
    for node in graph.nodes:
        found += [index for index in node.inputs if index is not None]
        found += node.outputs
    for index in dict.fromkeys([*found, *graph.outputs]):
        if not graph.tensors[index].is_constant and graph.tensors[index].dtype.c_type:
            yield index


class _Tree:
    """`within`: the tensor that another is in, and the bytes in front of it.  A copy never has
    its source and its target in one buffer, because a kernel writes what it does not read."""

    def __init__(self, graph: Graph, variables: Variables) -> None:
        self._graph = graph
        self._variables = variables
        self._within: dict[int, tuple[int, int]] = {}
        self._copies: list[Place] = []

    def layout(self, tensor: int) -> Layout:
        offset_bytes = 0
        while tensor in self._within:
            tensor, before = self._within[tensor]
            offset_bytes += before
        return Layout(tensor, offset_bytes)

    def place(self, node: Node, places: tuple[Place, ...]) -> tuple[Place, ...]:
        """Lay the tensors of a node into one another; the places that have to be copied."""
        copies = tuple(each for each in places if not self._join(node, each, places))
        self._copies += copies
        return copies

    def _root(self, tensor: int) -> int:
        return self.layout(tensor).buffer

    def _join(self, node: Node, place: Place, places: tuple[Place, ...]) -> bool:
        """Lay source or target into the other, if that makes the copy unnecessary."""
        run = run_of(place)
        if run is None or place.source is None or any(_lie_over(place, each) for each in places):
            return False
        source, target = self._graph.tensors[place.source], self._graph.tensors[place.target]
        if target.is_variable:
            return run == target.count and self._make_in(node, source, target)
        is_steady = not source.is_variable or self._variables.is_steady(node, source.index)
        if source.is_constant or not is_steady:
            return False
        size = target.dtype.size_bytes
        if run == target.count and target.index not in self._within:
            self._within[target.index] = (source.index, place.source_offset * size)
            return True
        root = self.layout(source.index)
        is_all = root.offset_bytes == 0 and self._graph.tensors[root.buffer].count == source.count
        if run == source.count and is_all and self._may_merge(root.buffer, target.index, places):
            self._within[root.buffer] = (target.index, place.target_offset * size)
            return True
        return False

    def _make_in(self, node: Node, source: Tensor, variable: Tensor) -> bool:
        """Lay what is assigned to a variable into it, if that may be."""
        root = self._root(source.index)
        tensor = self._graph.tensors[root]
        is_free = not tensor.is_variable and not tensor.is_constant
        is_alone = is_free and tensor.size_bytes == variable.size_bytes
        if not is_alone or not self._variables.may_be_made_in(
            node, source.index, variable.index, self._root
        ):
            return False
        self._within[root] = (variable.index, 0)
        return True

    def _may_merge(self, root: int, target: int, places: tuple[Place, ...]) -> bool:
        """Whether the buffer of `root` can be a part of that of `target`: it is no variable, which
        stays where it is, is asked for once, and nothing is copied from one to the other."""
        joined = {root, self.layout(target).buffer}
        uses = sum(root in self._sources(each) for each in places)
        is_copied = any(joined <= self._ends(each) for each in self._copies)
        return (
            len(joined) == 2
            and uses == 1
            and not is_copied
            and not self._graph.tensors[root].is_variable
        )

    def _sources(self, place: Place) -> set[int]:
        """The buffers that a copy reads."""
        start = None if place.start is None else place.start.tensor
        return {self.layout(each).buffer for each in (place.source, start) if each is not None}

    def _ends(self, place: Place) -> set[int]:
        """The same, and the one that it writes."""
        return {*self._sources(place), self.layout(place.target).buffer}


def _lie_over(place: Place, other: Place) -> bool:
    """Whether another place may write over this one."""
    if other is place or other.target != place.target:
        return False
    (begin, end), (first, last) = _extent(place), _extent(other)
    return begin < last and first < end


def _extent(place: Place) -> tuple[int, int]:
    """The first element of the target, and the one after the last."""
    steps = zip(place.shape, place.target_steps, strict=True)
    length = sum((size - 1) * step for size, step in steps) + 1
    if place.start is not None and place.start.is_of_target:
        moves = zip(place.start.limits, place.start.steps, strict=True)
        length += sum(limit * step for limit, step in moves)
    return place.target_offset, place.target_offset + length
