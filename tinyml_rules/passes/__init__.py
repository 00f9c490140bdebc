"""Graph -> Graph, one file a pass.  `run_passes` is the whole order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from tinyml_rules.cores import group_of
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Graph
from tinyml_rules.ir.verify import verify_graph
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.passes.add_state import add_state
from tinyml_rules.passes.calls import called_graphs
from tinyml_rules.passes.cautions import find_cautions
from tinyml_rules.passes.check import check
from tinyml_rules.passes.fold_constants import fold_constants
from tinyml_rules.passes.fold_dilation import fold_dilation
from tinyml_rules.passes.fold_pad import fold_pad
from tinyml_rules.passes.fuse import fuse
from tinyml_rules.passes.inline_calls import inline_calls
from tinyml_rules.passes.partition_conversions import partition_conversions
from tinyml_rules.passes.remove_channels import remove_channels
from tinyml_rules.passes.remove_dead_nodes import remove_dead_nodes
from tinyml_rules.passes.resolve_variables import resolve_variables
from tinyml_rules.passes.swap_single_channel import swap_single_channel
from tinyml_rules.passes.tabulate import tabulate
from tinyml_rules.passes.tabulate_model import tabulate_model
from tinyml_rules.passes.uint8_as_int8 import uint8_as_int8

Pass = Callable[[Graph, Operators], Graph]

SIMPLIFYING: tuple[Pass, ...] = (
    uint8_as_int8,
    fold_constants,  # the remaining nodes are computed at run time
    remove_dead_nodes,  # before the check, because a node that is not needed may be wrong
)
"""Of every graph of the file."""
BEFORE_CHECK: tuple[Pass, ...] = (
    inline_calls,  # its results may be constants now
    resolve_variables,
)
"""Of the model, after these."""
OF_THE_MODEL: tuple[Pass, ...] = (
    check,
    find_cautions,  # of the numbers as they are in the file
    add_state,
    partition_conversions,
    remove_dead_nodes,  # again, because cutting a conversion can leave nodes without readers
)
"""Of the model, whose ends are the caller's."""
CHOOSING: tuple[Pass, ...] = (
    tabulate,
    fold_dilation,
    fold_pad,
    swap_single_channel,  # after those that remove nodes
)
"""Of the model and every graph that it runs, after the check; `remove_channels` is the last of
them."""


def run_passes(
    graph: Graph,
    operators: Operators,
    features: frozenset[Feature] = frozenset(),
    *,
    keeps_layers: bool = False,
    keeps_channels: bool = False,
    at_ends: Sequence[Pass] = (),
) -> Graph:
    """All passes in order, for a target with the features; the graph's own rules are asserted
    after each.  `keeps_layers`: nothing replaces several layers; `keeps_channels`: dead channels
    stay; `at_ends`: further passes of the model, for what goes with it, which may have other
    outputs."""
    tables = () if keeps_layers else (tabulate_model,)
    fusing = () if keeps_layers else (fuse,)
    trimming = () if keeps_channels else (partial(remove_channels, group=group_of(features)),)
    choosing = (*fusing, *CHOOSING, *tables, *trimming)
    graph = _run((*OF_THE_MODEL, *at_ends), simplified(graph, operators), operators)
    others = tuple(graph.others)
    for number in called_graphs(graph, operators):
        other = _run(choosing, graph.other(number), operators)
        verify_graph(other)
        others = (*others[: number - 1], replace(other, others=()), *others[number:])
    graph = _run(choosing, replace(graph, others=others), operators)
    verify_graph(graph)
    return graph


def simplified(graph: Graph, operators: Operators) -> Graph:
    """The graph that `check` judges, for any graph of a file: nodes keep their numbers, and those
    of a sub-graph that is inlined have an origin."""
    others = tuple(_run(SIMPLIFYING, other, operators) for other in graph.others)
    return _run((*SIMPLIFYING, *BEFORE_CHECK), replace(graph, others=others), operators)


def _run(passes: Sequence[Pass], graph: Graph, operators: Operators) -> Graph:
    for graph_pass in passes:
        graph = graph_pass(graph, operators)
    return graph
