"""What was left out of a model because it has one value, because nobody uses it, or because a table
replaces it, and what the sums of the rest can be: as data, and as lines for a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tinyml_rules.ir.graph import Graph, Kept
from tinyml_rules.ir.program import Step
from tinyml_rules.ir.text import node_numbers
from tinyml_rules.reporting.parts import Sums, TabulatedLayers, TrimmedNode
from tinyml_rules.reporting.report import Report

_REASONS = {
    Kept.USED: "in use",
    Kept.EDGE: "read beside zero points of a border",
    Kept.BIAS: "too much for a bias of int32",
    Kept.READER: "read by what needs all channels",
    Kept.TIED: "tied to others that stay",
    Kept.GROUP: "to fill the groups of the kernels",
}


def trimmed_nodes(graph: Graph) -> Iterator[TrimmedNode]:
    """Every node with dead channels: how many it had, how many are gone, and of the others how
    many stay for each reason."""
    for each in graph.trimmed:
        kept = {reason.value: count for reason, count in each.kept}
        yield TrimmedNode(each.node, each.op, each.channels, each.constant, each.unused, kept)


def tabulated_layers(graph: Graph) -> Iterator[TabulatedLayers]:
    """Every part of single values: the nodes that are gone, their multiply-accumulates, and how
    many tables replace them."""
    for each in graph.tabulated:
        yield TabulatedLayers(tuple(each.nodes), each.tables, each.macs)


def sums_of(step: Step, graph: Graph) -> Sums | None:
    """The least and the greatest sum of products of a node, bias included, over all channels and
    inputs, and the bits of an integer that holds both; None where it has none."""
    if not step.macs or len(step.node.outputs) != 1:
        return None
    found = graph.known.sums.get(step.node.outputs[0])
    return None if found is None else Sums(*found, bits_of(*found))


def bits_of(least: int, most: int) -> int:
    """Of two's complement, for all numbers from the one to the other."""
    return 1 + max((end if end >= 0 else ~end).bit_length() for end in (least, most))


def tabulated_lines(found: Sequence[TabulatedLayers]) -> list[str]:
    """What tables replace, a line for each part: `1 for nodes 0, 1, 2 with 304
    multiply-accumulates`."""
    return [
        f"{each.tables} for {node_numbers(each.nodes)} with {each.macs:,} multiply-accumulates"
        for each in found
    ]


def tabulated_summary(report: Report) -> str:
    """The same after the word; empty where there is none."""
    return "\n".join(f"  tables: {line}" for line in tabulated_lines(report.tabulated))


def trimmed_summary(report: Report) -> str:
    """Lines of what is gone, of what stays, and of nodes whose values were not followed; empty
    where there was nothing."""
    found, large = report.trimmed, report.too_large_to_follow
    gone = [(each.node, each.constant + each.unused, each.channels) for each in found]
    parts = [f"{count} of {total} at node {node}" for node, count, total in gone if count]
    kept: Counter[str] = Counter()
    for each in found:
        kept.update(each.kept)
    stays = [f"{count} {_REASONS[Kept(reason)]}" for reason, count in sorted(kept.items())]
    lines = [
        f"  dead channels left out: {', '.join(parts)}" if parts else "",
        f"  dead channels kept: {', '.join(stays)}" if stays else "",
        f"  constant channels not looked for at {node_numbers(large)}: too large" if large else "",
    ]
    return "\n".join(filter(None, lines))
