"""A model of one 8-bit value, or a part of one between two such values, becomes a table.

All nodes in between, branches and float32 included, are computed here for each of the 256 values
of the input, by the operators' meaning in numpy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tinyml_rules.ir.graph import Array, Graph, Node, NodeView, Tabulated, Tensor
from tinyml_rules.ops._shared.interpreter import Interpreter
from tinyml_rules.ops._shared.interval import NARROW
from tinyml_rules.ops._shared.operator import Operators, Role
from tinyml_rules.ops.lookup import every_byte, flipped_bits
from tinyml_rules.passes.remove_dead_nodes import remove_dead_nodes
from tinyml_rules.passes.tabulate import table_node, table_of

TABLE_BYTES = 256
KERNEL_BYTES = 128
"""Flash in bytes that a node takes in addition to its weights: about the least, on 32-bit
processors."""
MOST_WORK = 2**20
"""Limit of multiply-accumulates and elements of a part, which is computed 256 times."""
_PURE = (Role.COMPUTE, Role.LAYOUT, Role.CONVERSION)


def tabulate_model(graph: Graph, operators: Operators) -> Graph:
    """The graph with tables for such parts; `Graph.tabulated` says what they replaced."""
    origins = _origins(graph, operators)
    for source in sorted({origin for index, origin in origins.items() if origin != index}):
        part = _Part(graph, operators, graph.tensors[source], _nodes_of(graph, source, origins))
        graph = part.replaced()
    return graph


def _origins(graph: Graph, operators: Operators) -> dict[int, int]:
    """For every tensor that depends on a single 8-bit value only, that value's tensor: the first,
    if one of them depends on another."""
    found = {index: index for index in graph.inputs if _is_one_value(graph.tensors[index])}
    for node in graph.nodes:
        origins = {found.get(each.index) for each in _computed(graph, node)}
        is_followed = len(origins) == 1 and _is_pure(NodeView(graph, node), operators)
        origin = origins.pop() if is_followed else None
        for index in node.outputs:
            if origin is not None:
                found[index] = origin
            elif _is_one_value(graph.tensors[index]):
                found[index] = index
    return found


def _computed(graph: Graph, node: Node) -> list[Tensor]:
    """The inputs that are not constants."""
    tensors = (graph.tensors[index] for index in node.inputs if index is not None)
    return [tensor for tensor in tensors if not tensor.is_constant]


def _is_one_value(tensor: Tensor) -> bool:
    is_computed = not tensor.is_constant and not tensor.is_variable
    return is_computed and tensor.dtype in NARROW and tensor.count == 1


def _is_pure(view: NodeView, operators: Operators) -> bool:
    op = operators[view.node.op]
    is_plain = not any(each is not None and each.is_variable for each in view.inputs)
    is_plain = is_plain and not any(each.is_variable for each in view.outputs)
    return is_plain and op.role in _PURE and not op.meaning(view).may_end


def _nodes_of(graph: Graph, source: int, origins: dict[int, int]) -> list[Node]:
    """The nodes whose results depend on that value alone."""
    return [
        node
        for node in graph.nodes
        if node.outputs and all(origins.get(each) == source != each for each in node.outputs)
    ]


@dataclass(frozen=True, eq=False)
class _Part:
    """Nodes whose results depend on a single value, the source's."""

    graph: Graph
    operators: Operators
    source: Tensor
    nodes: Sequence[Node]

    def replaced(self) -> Graph:
        """The graph with a table for each result of one value that is read elsewhere, if they
        take less flash than the nodes that they replace."""
        ends = self._ends()
        between = self._between(ends)
        if not ends or self._work(between) > MOST_WORK:
            return self.graph
        values = self._values(between)
        changed = self._with(values)
        kept = {node.index for node in changed.nodes} - {node.index for node in ends}
        gone = [node for node in self.graph.nodes if node.index not in kept]
        if not self._is_worth(gone, changed, values):
            return self.graph
        numbers = tuple(node.index for node in gone)
        told = Tabulated(numbers, tables=len(ends), macs=sum(map(self._macs, gone)))
        return replace(changed, tabulated=(*self.graph.tabulated, told))

    def _ends(self) -> list[Node]:
        """The tensors of one value that are read by a node outside, by the caller, or by a node
        that has to stay."""
        inside = {node.index for node in self.nodes}
        outside = (node for node in self.graph.nodes if node.index not in inside)
        needed = {index for node in outside for index in node.inputs} | {*self.graph.outputs}
        ends = []
        for node in reversed(self.nodes):
            if needed.isdisjoint(node.outputs):
                continue
            (first, *more) = node.outputs
            if not more and _is_one_value(self.graph.tensors[first]):
                ends.append(node)
            else:
                needed.update(node.inputs)
        return ends

    def _between(self, ends: Sequence[Node]) -> Graph:
        """The nodes that compute these results from the source."""
        part = replace(
            self.graph,
            nodes=tuple(self.nodes),
            inputs=(self.source.index,),
            outputs=tuple(node.outputs[0] for node in ends),
        )
        return remove_dead_nodes(part, self.operators)

    def _values(self, between: Graph) -> dict[int, Array]:
        """The outputs for all bytes from 0 to 255."""
        interpreter = Interpreter(between, self.operators)
        runs = [
            interpreter.run({self.source.index: value})
            for value in every_byte(self.source.dtype).reshape(256, *self.source.shape)
        ]
        results = (
            np.concatenate([each.reshape(1) for each in run]) for run in zip(*runs, strict=True)
        )
        return dict(zip(between.outputs, results, strict=True))

    def _with(self, values: Mapping[int, Array]) -> Graph:
        """The graph with a table for each of those tensors."""
        tensors, nodes = list(self.graph.tensors), []
        for node in self.graph.nodes:
            if values.keys().isdisjoint(node.outputs):
                nodes.append(node)
                continue
            (result,) = node.outputs
            table = table_of(tensors[result], values[result], index=len(tensors))
            tensors.append(table)
            nodes.append(table_node(node, self.source, table))
        graph = replace(self.graph, tensors=tuple(tensors), nodes=tuple(nodes))
        return remove_dead_nodes(graph, self.operators)

    def _is_worth(self, gone: Sequence[Node], changed: Graph, values: Mapping[int, Array]) -> bool:
        """Whether a table is worth it: not for a single map, which `tabulate` replaces, nor for
        nodes that only move values."""
        views = [NodeView(self.graph, node) for node in gone]
        kernels = [view for view in views if not self._is_move(view)]
        if [self.operators[view.node.op].is_map(view) for view in kernels] in ([], [True]):
            return False
        read = {index for node in changed.nodes for index in node.inputs}
        constants = {each for view in views for each in view.inputs if each and each.is_constant}
        saved = sum(each.size_bytes for each in constants if each.index not in read)
        tables = [each for each in values.values() if flipped_bits(each, self.source.dtype) is None]
        return saved + KERNEL_BYTES * len(kernels) >= TABLE_BYTES * len(tables)

    def _is_move(self, view: NodeView) -> bool:
        layout = self.operators[view.node.op].layout
        return layout is not None and layout(view) is not None

    def _work(self, between: Graph) -> int:
        elements = (
            between.tensors[index].count for node in between.nodes for index in node.outputs
        )
        return sum(map(self._macs, between.nodes)) + sum(elements)

    def _macs(self, node: Node) -> int:
        macs = self.operators[node.op].macs
        return 0 if macs is None else macs(NodeView(self.graph, node))
