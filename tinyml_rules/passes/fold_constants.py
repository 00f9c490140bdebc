"""Computes what depends on constants and shapes only, by the operators' meaning in numpy.

An open dimension of the file, the batch, is 1 in its shape, and so in the results.
"""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.ir.graph import Graph, NodeView, Tensor
from tinyml_rules.ops._shared.constraints import empty_operands, operand_counts
from tinyml_rules.ops._shared.operator import Operators, Role

MOST_ELEMENTS = 2**22
"""Limit of a result: more would fit no part, and a hostile file could ask for it a thousand
times."""
MOST_MACS = 2**24
"""Limit of a node: its meaning in numpy has the products, or their operands, in memory at once."""
_STAYS = (Role.EFFECT, Role.CALL)


def fold_constants(graph: Graph, operators: Operators) -> Graph:
    """The graph without those nodes; their outputs are constants.  An invalid node stays,
    for `check` to report."""
    changed: dict[int, Tensor] = {}
    kept = []
    for node in graph.nodes:
        view = NodeView(graph, node, changed=changed)
        results = _results(view, operators) if _is_constant(view, operators) else None
        if results is None:
            kept.append(node)
        else:
            changed.update((tensor.index, tensor) for tensor in results)
    if not changed:
        return graph
    tensors = tuple(changed.get(tensor.index, tensor) for tensor in graph.tensors)
    return replace(graph, tensors=tensors, nodes=tuple(kept))


def _is_constant(view: NodeView, operators: Operators) -> bool:
    op = operators.get(view.node.op)
    if op is None or op.role in _STAYS or not view.node.outputs:
        return False
    if any(tensor.is_variable for tensor in view.outputs):
        return False
    if op.reads_shapes_alone:
        return True
    inputs = [tensor for tensor in view.inputs if tensor is not None]
    return bool(inputs) and all(each.is_constant and not each.unread for each in inputs)


def _results(view: NodeView, operators: Operators) -> list[Tensor] | None:
    """The outputs as constants; None if the node is invalid."""
    op = operators[view.node.op]
    if any(operand_counts(view)):
        return None
    if any(empty_operands(view, may_be_empty=op.may_be_empty)):
        return None
    outputs = view.outputs
    if any(tensor.count > MOST_ELEMENTS for tensor in outputs) or op.problems(view):
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
