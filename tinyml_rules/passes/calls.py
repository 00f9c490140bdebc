"""The sub-graphs that a model runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tinyml_rules.errors import Problem
from tinyml_rules.ir.graph import Graph, Node, NodeView
from tinyml_rules.ops._shared.operator import Operators


class CallError(Exception):
    """A call of a missing graph, or of a graph by itself."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.what)
        self.problem = problem


def called_graphs(graph: Graph, operators: Operators) -> tuple[int, ...]:
    """The numbers of all graphs that a model runs, callees before callers; each once.

    Raises CallError for the number of a missing graph, and for recursion.
    """
    found: dict[int, None] = {}
    for number in _calls(graph, graph.others, operators):
        _visit(number, graph.others, operators, (), found)
    return tuple(found)


def _visit(
    number: int,
    graphs: Sequence[Graph],
    operators: Operators,
    callers: tuple[int, ...],
    found: dict[int, None],
) -> None:
    if number in callers:
        path = " calls ".join(map(str, (*callers[callers.index(number) :], number)))
        raise CallError(Problem(graphs[number - 1].name, f"runs itself: {path}"))
    if number in found:
        return
    for inner in _calls(graphs[number - 1], graphs, operators):
        _visit(inner, graphs, operators, (*callers, number), found)
    found[number] = None


def _calls(graph: Graph, graphs: Sequence[Graph], operators: Operators) -> Iterator[int]:
    for node in graph.nodes:
        for number in calls_of(graph, node, operators):
            if not 1 <= number <= len(graphs):
                what = f"runs sub-graph {number}, of {1 + len(graphs)}"
                raise CallError(Problem(graph.where(node), what))
            yield number


def calls_of(graph: Graph, node: Node, operators: Operators) -> tuple[int, ...]:
    """The numbers of the graphs that one node runs."""
    op = operators.get(node.op)
    return () if op is None else op.calls(NodeView(graph, node))
