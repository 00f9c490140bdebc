"""Graph -> Graph, one file a pass.  `PASSES` is the whole list, in order."""

from __future__ import annotations

from tinyml_rules.ir.graph import Graph
from tinyml_rules.ir.verify import verify_graph
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.passes.check import check
from tinyml_rules.passes.fold_constants import fold_constants
from tinyml_rules.passes.fold_dilation import fold_dilation
from tinyml_rules.passes.fold_pad import fold_pad
from tinyml_rules.passes.partition_conversions import partition_conversions
from tinyml_rules.passes.remove_dead_nodes import remove_dead_nodes
from tinyml_rules.passes.tabulate import tabulate
from tinyml_rules.passes.widen_single_channel import widen_single_channel

PASSES = (
    fold_constants,  # first: what is left is computed at run time
    remove_dead_nodes,  # before the check, because what nobody needs may be anything
    check,
    partition_conversions,
    remove_dead_nodes,  # again, because a cut conversion can leave its reader without a use
    tabulate,
    fold_dilation,
    fold_pad,
    widen_single_channel,  # last: for nodes that stay
)


def run_passes(graph: Graph, operators: Operators) -> Graph:
    """All passes in order; the graph's own rules are asserted from the check on."""
    is_checked = False
    for graph_pass in PASSES:
        graph = graph_pass(graph, operators)
        is_checked |= graph_pass is check
        if is_checked:
            verify_graph(graph)
    return graph
