"""Moves outputs of which only the order of values counts before the operators that keep the order.

Those are then not computed.  If such an operator maps different values to equal ones, the order
before it is finer.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph, Node, NodeView, Tensor
from tinyml_rules.ops._shared.moves import run_of
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.passes.remove_dead_nodes import remove_dead_nodes
from tinyml_rules.passes.uses import Uses
from tinyml_rules.ranges.every_value import of_every_value


def read_logits(graph: Graph, operators: Operators, *, positions: Collection[int]) -> Graph:
    """The graph with other tensors as the outputs at these positions, if no node reads those of the
    file."""
    outputs, file_outputs = list(graph.outputs), list(graph.file_outputs or graph.outputs)
    for position in positions:
        source = _Order(graph, operators).source(graph.outputs[position])
        if source != graph.outputs[position]:
            outputs[position] = file_outputs[position] = source
    read = replace(graph, outputs=tuple(outputs), file_outputs=tuple(file_outputs))
    return remove_dead_nodes(read, operators)


class _Order:
    """Tensors of a graph that have the same order of values."""

    def __init__(self, graph: Graph, operators: Operators) -> None:
        self._graph = graph
        self._operators = operators
        self._writers = {index: node for node in graph.nodes for index in node.outputs}
        self._uses = Uses(graph)

    def source(self, output: int) -> int:
        """The first tensor that has the order of an output for every input; a change of shape is
        skipped only if an operator before it keeps the order."""
        found = output
        while (node := self._writers.get(output)) and self._uses.is_read_once(node):
            view = NodeView(self._graph, node)
            tensors = [each for each in view.inputs if each is not None and not each.is_constant]
            if len(tensors) != 1 or not _is_plain(tensors[0], self._graph):
                break
            (source,) = tensors
            is_reshaped = self._is_reshaped(view, source)
            if not is_reshaped and not self._keeps_order(node, source):
                break
            output = source.index
            found = found if is_reshaped else output
        return found

    def _is_reshaped(self, view: NodeView, source: Tensor) -> bool:
        layout = self._operators[view.node.op].layout
        places = None if layout is None else layout(view)
        runs = [None] if places is None else [run_of(place) for place in places]
        alike = view.output.dtype is source.dtype
        return alike and runs == [source.count] and source.count == view.output.count

    def _keeps_order(self, node: Node, source: Tensor) -> bool:
        op, view = self._operators[node.op], NodeView(self._graph, node)
        is_vector = view.output.shape[-1:] == (view.output.count,) == (source.count,)
        if is_vector and op.keeps_order(view):
            return True
        if not op.is_map(view) or view.output.dtype is not DType.INT8:
            return False
        every = of_every_value(self._graph, [node], source, self._operators)
        rising = np.roll(every, 128).astype(np.int64)  # in the order of the values, not the bytes
        return bool(np.all(rising[1:] >= rising[:-1])) and rising[0] < rising[-1]


def _is_plain(tensor: Tensor, graph: Graph) -> bool:
    """Whether it is int8 with one scale, computed in each inference."""
    found = tensor.quantization
    is_quantized = found is not None and not found.is_per_axis
    is_made = tensor.index not in graph.inputs and not tensor.is_variable
    return tensor.dtype is DType.INT8 and is_quantized and is_made
