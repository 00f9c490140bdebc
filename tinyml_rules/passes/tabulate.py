"""Chains of operators that map each value by itself, from 8 bits to 8 bits, become one table.

What lies between may have any type: a float island between DEQUANTIZE and QUANTIZE is computed
here, once for each of the 256 values, by the operators' meaning in numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, Graph, Node, NodeView, Tensor
from tinyml_rules.ops._shared.operator import Operators

WORTH_A_TABLE = 512
"""Values of a tensor from which on a table replaces a kernel that computes each of them."""
_LOOKUP = "lookup"
_NARROW = (DType.INT8, DType.UINT8)
_RESULTS = (*_NARROW, DType.BOOL)


def tabulate(graph: Graph, operators: Operators) -> Graph:
    """The graph with a table for each such chain."""
    tabulation = _Tabulation(graph, operators)
    nodes = [made for node in graph.nodes for made in tabulation.replaced(node)]
    return replace(graph, nodes=tuple(nodes), tensors=tuple(tabulation.tensors))


class _Tabulation:
    def __init__(self, graph: Graph, operators: Operators) -> None:
        self._graph = graph
        self._operators = operators
        self.tensors = list(graph.tensors)
        self._readers: dict[int, list[Node]] = {}
        for node in graph.nodes:
            for index in {index for index in node.inputs if index is not None}:
                self._readers.setdefault(index, []).append(node)
        self._done: set[int] = set()

    def replaced(self, node: Node) -> list[Node]:
        """What stands in the place of a node: itself, a table, or nothing."""
        if node.index in self._done:
            return []
        chain = self._chain(node)
        if not chain or not self._is_worth(chain):
            return [node]
        self._done.update(each.index for each in chain)
        source, result = self._input(node), self.tensors[chain[-1].outputs[0]]
        values = self._values(chain, source)
        table = Tensor(
            index=len(self.tensors),
            name=f"{result.name} table",
            shape=values.shape,
            dtype=result.dtype,
            quantization=result.quantization,
            data=values,
        )
        self.tensors.append(table)
        lookup = replace(
            node,
            op=_LOOKUP,
            inputs=(source.index, table.index),
            outputs=(result.index,),
            attrs=None,
        )
        return [lookup]

    def _computed(self, node: Node) -> list[int]:
        """The inputs that are no constants."""
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
        """The longest chain of maps from a node on that begins and ends with 8 bits."""
        chain: list[Node] = []
        longest = 0
        if not self._is_map(node) or self._input(node).dtype not in _NARROW:
            return []
        while True:
            chain.append(node)
            (result,) = node.outputs
            if self.tensors[result].dtype in _RESULTS:
                longest = len(chain)
            readers = self._readers.get(result, [])
            if result in self._graph.outputs or len(readers) != 1 or not self._is_map(readers[0]):
                return chain[:longest]
            (node,) = readers

    def _is_worth(self, chain: Sequence[Node]) -> bool:
        """Where a kernel does the same in one step, a table pays for large tensors."""
        view = NodeView(self._graph, chain[0])
        has_kernel = bool(self._operators[chain[0].op].meaning(view).kernels)
        is_large = self.tensors[chain[0].outputs[0]].count >= WORTH_A_TABLE
        return chain[0].op != _LOOKUP and (len(chain) > 1 or not has_kernel or is_large)

    def _values(self, chain: Sequence[Node], source: Tensor) -> Array:
        """The results for all bytes from 0 to 255, read as values of the source's type."""
        assert source.dtype.numpy is not None
        between = [source.index, *(node.outputs[0] for node in chain)]
        tensors = list(self.tensors)
        for index in between:
            tensors[index] = replace(tensors[index], shape=(256,))
        graph = replace(self._graph, tensors=tuple(tensors))
        values = {source.index: np.arange(256, dtype=np.uint8).view(source.dtype.numpy)}
        for node in chain:
            (result,) = self._operators[node.op].evaluate(NodeView(graph, node), values)
            # a constant of one value may have more dimensions
            values = {node.outputs[0]: result.reshape(256)}
        return values[between[-1]]
