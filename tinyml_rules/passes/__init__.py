"""Graph -> Graph, one file a pass.  `PASSES` is the whole list, in order."""

from __future__ import annotations

from tinyml_rules.ir.graph import Graph
from tinyml_rules.ir.verify import verify_graph
from tinyml_rules.passes.partition_conversions import partition_conversions
from tinyml_rules.passes.remove_dead_nodes import remove_dead_nodes
from tinyml_rules.passes.widen_single_channel import widen_single_channel

PASSES = (
    partition_conversions,  # first: what is left is integer arithmetic only
    remove_dead_nodes,  # after it, because a cut conversion can leave its reader without a use
    widen_single_channel,  # last: for nodes that stay
)


def run_passes(graph: Graph) -> Graph:
    """All passes in order; the graph's own rules are asserted after each."""
    for graph_pass in PASSES:
        graph = graph_pass(graph)
        verify_graph(graph)
    return graph
