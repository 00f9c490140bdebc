"""Graph -> Graph in which a loop whose rounds constants count is the nodes of all rounds, one after
the other, and a branch on a constant the nodes that it takes.

A converter writes a GRU or a simple RNN so: WHILE, whose body is one step in time.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from tinyml_rules.ir.graph import Graph, Tensor
from tinyml_rules.ops._shared.calling import MOST_TURNS
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.passes.calls import calls_of
from tinyml_rules.passes.fold_constants import fold_constants
from tinyml_rules.passes.inline_calls import MOST_NODES, inline_calls


def unroll(graph: Graph, operators: Operators) -> Graph:
    """The graph, as it is where it runs no other; what cannot be unrolled stays.  The tensors of
    the second round and later ones have its number in their names."""
    if not any(calls_of(graph, node, operators) for node in graph.nodes):
        return graph
    others = tuple(fold_constants(each, operators) for each in graph.others)
    simple = fold_constants(replace(graph, others=others), operators)
    return _numbered(inline_calls(simple, operators, is_always=True))


def not_unrolled() -> str:
    """What is wrong with a node that still runs a graph."""
    return (
        "runs sub-graphs in a way that no constants decide, or more often than the quantizer "
        f"unrolls a loop: {MOST_TURNS} rounds, {MOST_NODES:,} nodes"
    )


def _numbered(graph: Graph) -> Graph:
    rounds = Counter[str]()

    def named(tensor: Tensor) -> Tensor:
        rounds[tensor.origin] += 1
        number = rounds[tensor.origin]
        is_first = not tensor.origin or number == 1
        return tensor if is_first else replace(tensor, name=f"{tensor.name}_round_{number}")

    return replace(graph, tensors=tuple(named(each) for each in graph.tensors))
