"""Graph -> Graph in which a loop whose rounds constants count is the nodes of all rounds, one after
the other, and a branch on a constant the nodes that it takes.

A converter writes a GRU or a simple RNN so: WHILE, whose body is one step in time.
"""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.ir.graph import Graph, Tensor
from tinyml_rules.ops._shared.calling import MOST_TURNS
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.passes.calls import calls_of
from tinyml_rules.passes.fold_constants import fold_constants
from tinyml_rules.passes.inline_calls import MOST_NODES, inline_calls


def with_constants(graph: Graph, operators: Operators) -> Graph:
    """The graph, and those that it runs, without nodes that compute constants; as it is where it
    runs no other."""
    if not any(calls_of(graph, node, operators) for node in graph.nodes):
        return graph
    others = tuple(fold_constants(each, operators) for each in graph.others)
    return fold_constants(replace(graph, others=others), operators)


def unroll(graph: Graph, operators: Operators) -> Graph:
    """The graph, as it is where it runs no other; what cannot be unrolled stays.  From the second
    round on, tensors have a number at the end of their names."""
    if not any(calls_of(graph, node, operators) for node in graph.nodes):
        return graph
    return _numbered(inline_calls(graph, operators, is_always=True))


def not_unrolled() -> str:
    """What is wrong with a node that still runs a graph."""
    return (
        "runs sub-graphs in a way that no constants decide, or more often than the quantizer "
        f"unrolls a loop: {MOST_TURNS} rounds, {MOST_NODES:,} nodes"
    )


def _numbered(graph: Graph) -> Graph:
    used = {tensor.name for tensor in graph.tensors if not tensor.origin}

    def named(tensor: Tensor) -> Tensor:
        name, number = tensor.name, 1
        while name in used and tensor.origin:
            number += 1
            name = f"{tensor.name}_{number}"
        used.add(name)
        return replace(tensor, name=name)

    return replace(graph, tensors=tuple(named(each) for each in graph.tensors))
