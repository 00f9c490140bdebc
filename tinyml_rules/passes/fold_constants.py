"""Compute what depends on constants alone, and on shapes, by the operators' meaning in numpy.

A dimension that the file leaves open, the batch, is 1 in its shape, and so in what is made of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tinyml_rules.ir.graph import Graph, Node, NodeView, Tensor
from tinyml_rules.ops._shared.constraints import empty_operands, operand_counts
from tinyml_rules.ops._shared.operator import Operators, Role

MOST_ELEMENTS = 2**22
"""Of a result: more would fit no part, and a hostile file could ask for it a thousand times."""
MOST_MACS = 2**24
"""Of a node: its meaning in numpy has the products, or their operands, in memory at once."""
_STAYS = (Role.EFFECT, Role.CALL)


def fold_constants(graph: Graph, operators: Operators) -> Graph:
    """The graph without those nodes; their outputs are constants.  A node that is not right stays,
    for `check` to say so."""
    tensors = list(graph.tensors)
    kept = []
    for node in graph.nodes:
        if not _is_constant(node, tensors, operators):
            kept.append(node)
            continue
        results = _results(replace(graph, tensors=tuple(tensors)), node, operators)
        if results is None:
            kept.append(node)
            continue
        for tensor in results:
            tensors[tensor.index] = tensor
    return replace(graph, tensors=tuple(tensors), nodes=tuple(kept))


def _is_constant(node: Node, tensors: Sequence[Tensor], operators: Operators) -> bool:
    op = operators.get(node.op)
    if op is None or op.role in _STAYS or not node.outputs:
        return False
    if any(tensors[index].is_variable for index in node.outputs):
        return False
    inputs = [tensors[index] for index in node.inputs if index is not None]
    if op.reads_shapes_alone:
        return True
    return bool(inputs) and all(each.is_constant and not each.unread for each in inputs)


def _results(graph: Graph, node: Node, operators: Operators) -> list[Tensor] | None:
    """The outputs as constants; None where the node is not right."""
    op, view = operators[node.op], NodeView(graph, node)
    if any(operand_counts(view, inputs=op.input_counts, outputs=op.output_counts)):
        return None
    if any(empty_operands(view, may_be_empty=op.may_be_empty)):
        return None
    outputs = view.outputs
    if any(tensor.count > MOST_ELEMENTS for tensor in outputs) or any(op.meaning(view).check(view)):
        return None
    if op.macs is not None and op.macs(view) > MOST_MACS:
        return None
    results = op.evaluate(view, {})
    fits = all(
        result.shape == tensor.shape and result.dtype == tensor.dtype.numpy
        for result, tensor in zip(results, outputs, strict=True)
    )
    if not fits:
        return None
    return [replace(tensor, data=data) for tensor, data in zip(outputs, results, strict=True)]
