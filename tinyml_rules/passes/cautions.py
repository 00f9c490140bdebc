"""Graph -> Graph with warnings about its numbers, with which TFLM computes nevertheless."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tinyml_rules.errors import Caution, Problem
from tinyml_rules.ir.graph import Graph
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.passes.calls import called_graphs
from tinyml_rules.passes.deviations import deviations
from tinyml_rules.passes.finite import TRAINING, endless_constants, endless_text, is_one_bound

_HINT = "results are those of TFLM; another runtime may give others"


def find_cautions(graph: Graph, operators: Operators) -> Graph:
    """The valid graph with its warnings, and those of the graphs that it runs; each kind once per
    model."""
    graphs = (graph, *(graph.other(number) for number in called_graphs(graph, operators)))
    found = (*_of_constants(graphs), *_of_deviations(graphs, operators))
    return replace(graph, cautions=found)


def _of_constants(graphs: tuple[Graph, ...]) -> Iterator[Problem]:
    for part in graphs:
        found = [each for each in endless_constants(part) if not is_one_bound(each[1])]
        if found:
            yield Caution(part.where(found[0][0]), endless_text(found), TRAINING)
            return


def _of_deviations(graphs: tuple[Graph, ...], operators: Operators) -> Iterator[Problem]:
    """Those of int8: the specification says nothing of uint8."""
    judged = (part for part in graphs if not part.is_of_uint8)
    found = [
        (part.where(node), text) for part in judged for node, text in deviations(part, operators)
    ]
    if found:
        where, text = found[0]
        what = f"{text}; nodes that deviate from the 8-bit specification: {len(found)}"
        yield Caution(where, what, _HINT)
