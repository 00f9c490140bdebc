"""Evaluates a whole graph with the operators' oracles in numpy: slow, and independent of everything
that makes C."""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence

import numpy as np

from tinyml_rules.ir.graph import Array, Graph, NodeView
from tinyml_rules.ops._shared.operator import Operators


class EndedEarlyError(Exception):
    """The inference ended after a node, so that there are no new outputs."""


def first_values(graph: Graph) -> dict[int, Array]:
    """The initial values of a graph's variables, by tensor."""
    found = {}
    for tensor in graph.tensors:
        if tensor.is_variable:
            values = np.full(tensor.shape, tensor.first_value, tensor.dtype.numpy)
            found[tensor.index] = values if tensor.initial is None else tensor.initial
    return found


def run_graph(
    graph: Graph, operators: Operators, values: MutableMapping[int, Array]
) -> tuple[Array, ...]:
    """The outputs of a checked graph, from `values` of inputs and variables by tensor. Computed
    values, and new values of variables, are added to `values`. Raises EndedEarlyError."""

    def run(number: int, inputs: Sequence[Array]) -> tuple[Array, ...]:
        other = graph.other(number)
        return run_graph(other, operators, dict(zip(other.inputs, inputs, strict=True)))

    for node in graph.nodes:
        view = NodeView(graph, node, run)
        op = operators[node.op]
        results = op.evaluate(view, values)
        variables = [each for each in view.inputs if each is not None and each.is_variable]
        for tensor, result in zip((*view.outputs, *variables), results, strict=False):
            assert result.shape == tensor.shape, f"{graph.where(node)}: {result.shape}"
            assert result.dtype == tensor.dtype.numpy, f"{graph.where(node)}: {result.dtype}"
            values[tensor.index] = result
        if op.meaning(view).may_end and not results[-1]:
            raise EndedEarlyError
    constants = {each.index: each.data for each in graph.tensors if each.data is not None}
    known = {**constants, **values}
    return tuple(known[index] for index in graph.outputs)
