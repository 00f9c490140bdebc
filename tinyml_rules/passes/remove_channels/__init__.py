"""Drop what has one value whatever the input is, and what nobody uses: tensors, and channels.

A channel is *constant* where its least and its greatest value agree over all pixels, and *unused*
where every weight that meets it is 0.  What a constant gave to the sums behind it goes into their
bias, so that the results stay the same, byte for byte.
"""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.ir.graph import Graph
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.passes.remove_channels.constant_results import fold_constant_results
from tinyml_rules.passes.remove_channels.dead import DeadChannels
from tinyml_rules.passes.remove_channels.without import without_channels
from tinyml_rules.passes.remove_dead_nodes import remove_dead_nodes
from tinyml_rules.ranges.ranges import ranges


def remove_channels(graph: Graph, operators: Operators, *, group: int = 1) -> Graph:
    """The graph without them, but for channels that fill the groups of `group` which the target's
    kernels take at a time; `Graph.trimmed` says what is gone, and why the rest stays."""
    intervals = ranges(graph, operators)
    folded, whole = fold_constant_results(graph, operators, intervals)
    folded = remove_dead_nodes(folded, operators)
    dead = DeadChannels(folded, operators, intervals, group=group)
    trimmed = without_channels(folded, dead)
    found = sorted((*whole, *dead.trimmed()), key=lambda each: each.node)
    return replace(trimmed, trimmed=tuple(found))
