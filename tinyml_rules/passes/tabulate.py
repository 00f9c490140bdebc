"""Chains of operators that map each value on its own, from 8 bits to 8 bits, become one table.

The tensors in between may have any type: a float island between DEQUANTIZE and QUANTIZE is computed
here, once for each of the 256 values, by the operators' meaning in numpy.  Islands may share their
beginning: each is followed back from its end, and its remaining nodes have no reader.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from tinyml_rules.ir.graph import Array, Graph, Node, NodeView, Tensor
from tinyml_rules.ops._shared.interval import NARROW
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.ops.lookup import flipped_bits
from tinyml_rules.passes.remove_dead_nodes import remove_dead_nodes
from tinyml_rules.ranges.every_value import of_every_value

WORTH_A_TABLE = 512
"""Elements of a tensor from which on a table replaces a kernel that computes each of them."""
_LOOKUP = "lookup"


def tabulate(graph: Graph, operators: Operators) -> Graph:
    """The graph with a table for each such chain."""
    tabulation = _Tabulation(graph, operators)
    nodes = [tabulation.replaced(node) for node in reversed(graph.nodes)]
    tables = replace(graph, nodes=tuple(reversed(nodes)), tensors=tuple(tabulation.tensors))
    return remove_dead_nodes(_without_copies(tables), operators)


def table_of(result: Tensor, values: Array, *, index: int) -> Tensor:
    """The constant with a tensor's value for each byte from 0 to 255."""
    return Tensor(
        index=index,
        name=f"{result.name} table",
        shape=values.shape,
        dtype=result.dtype,
        quantization=result.quantization,
        data=values,
    )


def table_node(node: Node, source: Tensor, table: Tensor) -> Node:
    """The node that replaces a node by a lookup."""
    return replace(node, op=_LOOKUP, inputs=(source.index, table.index), attrs=None)


def _without_copies(graph: Graph) -> Graph:
    """A table that changes nothing is removed: its readers read its source instead."""
    sources: dict[int | None, int] = {}
    nodes = []
    for node in graph.nodes:
        inputs = tuple(sources.get(index, index) for index in node.inputs)
        nodes.append(replace(node, inputs=inputs))
        if node.op == _LOOKUP and _is_copy(NodeView(graph, nodes[-1])):
            (source, _), (result,) = inputs, node.outputs
            assert source is not None
            sources[result] = source
    return replace(graph, nodes=tuple(nodes))


def _is_copy(view: NodeView) -> bool:
    source, table, result = view.input(0), view.input(1).data, view.output
    assert table is not None
    is_alike = (source.dtype, source.quantization) == (result.dtype, result.quantization)
    # a constant of one value may have added dimensions, which a reader counts
    is_alike = is_alike and source.shape == result.shape
    return is_alike and flipped_bits(table, source.dtype) == 0


class _Tabulation:
    def __init__(self, graph: Graph, operators: Operators) -> None:
        self._graph = graph
        self._operators = operators
        self.tensors = list(graph.tensors)
        self._writers = {index: node for node in graph.nodes for index in node.outputs}
        self._reads = Counter(index for node in graph.nodes for index in {*node.inputs})
        self._inside: set[int] = set()

    def replaced(self, node: Node) -> Node:
        """The replacement of a node: itself, or a table for the chain that ends here."""
        chain = [] if node.index in self._inside else self._chain(node)
        if not chain:
            return node
        source, result = self._input(chain[0]), self.tensors[node.outputs[0]]
        values = of_every_value(self._graph, chain, source, self._operators)
        if not self._is_worth(chain, values):
            return node
        self._inside.update(each.index for each in chain)
        table = table_of(result, values, index=len(self.tensors))
        self.tensors.append(table)
        return table_node(node, source, table)

    def _computed(self, node: Node) -> list[int]:
        """The inputs that are not constants."""
        present = (index for index in node.inputs if index is not None)
        return [index for index in present if not self.tensors[index].is_constant]

    def _input(self, node: Node) -> Tensor:
        (source,) = self._computed(node)
        return self.tensors[source]

    def _is_map(self, node: Node) -> bool:
        computed, op = self._computed(node), self._operators[node.op]
        is_single = len(computed) == 1 and len(node.outputs) == 1
        tensors = [*computed, *node.outputs]
        is_plain = not any(self.tensors[index].is_variable for index in tensors)
        return is_single and is_plain and op.is_map(NodeView(self._graph, node))

    def _chain(self, node: Node) -> list[Node]:
        """The longest chain of maps from 8 bits to the 8-bit result of a node.

        It may go through a tensor that others read too, unless that has 8 bits, where
        a chain can begin, or is the model's output."""
        chain: list[Node] = []
        longest = 0
        if any(self.tensors[index].dtype not in NARROW for index in node.outputs):
            return []
        while self._is_map(node):
            chain.append(node)
            source = self._input(node)
            is_narrow = source.dtype in NARROW
            if is_narrow:
                longest = len(chain)
            is_end = source.index in self._graph.outputs or source.index not in self._writers
            if is_end or (is_narrow and self._reads[source.index] > 1):
                break
            node = self._writers[source.index]
        return chain[:longest][::-1]

    def _is_worth(self, chain: list[Node], values: Array) -> bool:
        """If a kernel does the same in one step, a table is faster for large tensors only, or where
        the map only flips bits."""
        (node, *more) = chain
        has_kernel = bool(self._operators[node.op].meaning(NodeView(self._graph, node)).kernels)
        is_large = self.tensors[node.outputs[0]].count >= WORTH_A_TABLE
        is_cheap = flipped_bits(values, self._input(node).dtype) is not None
        return bool(more) or (node.op != _LOOKUP and (not has_kernel or is_large or is_cheap))
