"""The results of operators that map each value on its own, for all 256 values of 8 bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tinyml_rules.ir.graph import Array, Graph, Node, NodeView, Tensor
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.ops.lookup import every_byte


def of_every_value(
    graph: Graph, chain: Sequence[Node], source: Tensor, operators: Operators
) -> Array:
    """The results of a chain of maps for all bytes from 0 to 255, read as values of the source's
    type."""
    between = [source.index, *(node.outputs[0] for node in chain)]
    tensors = list(graph.tensors)
    for index in between:
        tensors[index] = replace(tensors[index], shape=(256,))
    longer = replace(graph, tensors=tuple(tensors))
    values = {source.index: every_byte(source.dtype)}
    for node in chain:
        op, view = operators[node.op], NodeView(longer, node)
        (result,) = op.evaluate(view, values, is_for_table=True)
        # a constant of one value may have more dimensions
        values = {node.outputs[0]: result.reshape(256)}
    return values[between[-1]]
