"""Evaluates a whole graph with the operators' oracles in numpy: slow, and independent of everything
that makes C."""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tinyml_rules.ir.graph import Array, Graph, NodeView, Tensor
from tinyml_rules.ops._shared.operator import Meaning, Operators


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
    return Interpreter(graph, operators).run(values)


@dataclass(frozen=True, eq=False)
class Interpreter:
    """What runs a checked graph for any number of inputs: what its nodes mean is found once."""

    graph: Graph
    operators: Operators

    def run(self, values: MutableMapping[int, Array]) -> tuple[Array, ...]:
        """As `run_graph`."""
        graph = self.graph
        for view, meaning, results in self._steps:
            found = meaning.evaluate(view, values)
            for tensor, result in zip(results, found, strict=False):
                assert result.shape == tensor.shape, f"{graph.where(view.node)}: {result.shape}"
                assert result.dtype == tensor.dtype.numpy, (
                    f"{graph.where(view.node)}: {result.dtype}"
                )
                values[tensor.index] = result
            if meaning.may_end and not found[-1]:
                raise EndedEarlyError
        known = {**self._constants, **values}
        return tuple(known[index] for index in graph.outputs)

    @cached_property
    def _steps(self) -> list[tuple[NodeView, Meaning, list[Tensor]]]:
        """Each node, what it means, and the tensors that it gives values: its outputs, then the
        variables that it changes."""
        found = []
        for node in self.graph.nodes:
            view = NodeView(self.graph, node, self._run_other)
            variables = [each for each in view.inputs if each is not None and each.is_variable]
            meaning = self.operators[node.op].meaning(view)
            found.append((view, meaning, [*view.outputs, *variables]))
        return found

    @cached_property
    def _constants(self) -> dict[int, Array]:
        return {each.index: each.data for each in self.graph.tensors if each.data is not None}

    def _run_other(self, number: int, inputs: Sequence[Array]) -> tuple[Array, ...]:
        """Run another graph of the file."""
        if number not in self._others:
            self._others[number] = Interpreter(self.graph.other(number), self.operators)
        other = self._others[number]
        return other.run(dict(zip(other.graph.inputs, inputs, strict=True)))

    @cached_property
    def _others(self) -> dict[int, Interpreter]:
        """By number, those that were run."""
        return {}
