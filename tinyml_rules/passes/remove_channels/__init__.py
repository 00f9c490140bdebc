"""Removes dead tensors and channels: those with one value for all inputs, and unused ones.

A channel is *constant* where its least and its greatest value agree over all pixels, and *unused*
where every weight that meets it is 0.  A constant channel's part of later sums is added to their
bias, so that the results stay the same, byte for byte.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tinyml_rules.arithmetic.fixed_point import INT8_MAX, INT8_MIN
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph, Known, NodeView
from tinyml_rules.ops._shared.interval import Intervals
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.passes.remove_channels.constant_results import fold_constant_results
from tinyml_rules.passes.remove_channels.dead import DeadChannels
from tinyml_rules.passes.remove_channels.without import without_channels
from tinyml_rules.passes.remove_dead_nodes import remove_dead_nodes
from tinyml_rules.ranges.ranges import is_too_large, ranges


def remove_channels(graph: Graph, operators: Operators, *, group: int = 1) -> Graph:
    """The graph without them, but for channels that fill the groups of `group` which the target's
    kernels take at a time; `Graph.trimmed` says what was removed, and why other dead
    channels stay, and `Graph.known` has the bounds of the remaining sums."""
    intervals = ranges(graph, operators)
    folded, whole = fold_constant_results(graph, operators, intervals)
    folded = remove_dead_nodes(folded, operators)
    dead = DeadChannels(folded, operators, intervals, group=group)
    trimmed = without_channels(folded, dead)
    found = sorted((*whole, *dead.trimmed()), key=lambda each: each.node)
    too_large = (n.index for n in folded.nodes if is_too_large(NodeView(graph, n), operators))
    known = Known(_sums(trimmed, intervals, dead), tuple(too_large), _values(trimmed, intervals))
    return replace(trimmed, trimmed=tuple(found), known=known)


def _sums(graph: Graph, intervals: Intervals, found: DeadChannels) -> dict[int, tuple[int, int]]:
    """The bounds without those of dead channels; the others do not change, because a constant's
    part of a sum is in the bias now."""
    ends = {}
    for index in (node.outputs[0] for node in graph.nodes if node.outputs):
        sums = intervals[index].sums if index in intervals else None
        if sums is not None:
            dead = found.dead.get(index, np.zeros(len(sums[0]), bool))
            least, most = (each[~dead] for each in sums)
            ends[index] = (int(least.min()), int(most.max()))
    return ends


def _values(graph: Graph, intervals: Intervals) -> dict[int, tuple[int, int]]:
    """The ends of the values of int8 that nodes make, where they are not those of their type;
    channels that are gone count, which makes them no nearer."""
    ends = {}
    for index in (output for node in graph.nodes for output in node.outputs):
        if index in intervals and graph.tensors[index].dtype is DType.INT8:
            low, high = intervals[index].low, intervals[index].high
            found = int(low.min(initial=INT8_MAX)), int(high.max(initial=INT8_MIN))
            if found != DType.INT8.limits:
                ends[index] = found
    return ends
