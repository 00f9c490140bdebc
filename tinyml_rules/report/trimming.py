"""What was left out of a model because it has one value, because nobody uses it, or because a table
stands for it, and what the sums of the rest can be: as data, and as lines for a person."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tinyml_rules.ir.graph import Graph, Kept
from tinyml_rules.ir.program import Step
from tinyml_rules.ir.text import node_numbers

_REASONS = {
    Kept.USED: "in use",
    Kept.EDGE: "read beside zero points of a border",
    Kept.BIAS: "too much for a bias of int32",
    Kept.READER: "read by what needs all channels",
    Kept.TIED: "tied to others that stay",
    Kept.GROUP: "to fill the groups of the kernels",
}


def describe_trimmed(graph: Graph) -> list[dict[str, Any]]:
    """Of every node with dead channels: how many it had, how many are gone, and of the others how
    many stay for each reason."""
    return [
        {
            "node": each.node,
            "op": each.op,
            "channels": each.channels,
            "constant": each.constant,
            "unused": each.unused,
            "kept": {reason.value: count for reason, count in each.kept},
        }
        for each in graph.trimmed
    ]


def describe_tabulated(graph: Graph) -> list[dict[str, Any]]:
    """Of every part of single values: the nodes that are gone, their multiply-accumulates, and how
    many tables stand in their place."""
    return [
        {"nodes": list(each.nodes), "tables": each.tables, "macs": each.macs}
        for each in graph.tabulated
    ]


def describe_sums(step: Step, graph: Graph) -> dict[str, int] | None:
    """The least and the greatest sum of products of a node, bias included, over all channels and
    inputs, and the bits of an integer that holds both; None where it has none."""
    if not step.macs or len(step.node.outputs) != 1:
        return None
    found = graph.known.sums.get(step.node.outputs[0])
    if found is None:
        return None
    least, most = found
    return {"least": least, "most": most, "bits": bits_of(least, most)}


def bits_of(least: int, most: int) -> int:
    """Of two's complement, for all numbers from the one to the other."""
    return 1 + max((end if end >= 0 else ~end).bit_length() for end in (least, most))


def tabulated_lines(report: dict[str, Any]) -> list[str]:
    """What tables stand for, a line for each part: `1 for nodes 0, 1, 2 with 304
    multiply-accumulates`."""
    return [
        f"{each['tables']} for {node_numbers(each['nodes'])} "
        f"with {each['macs']:,} multiply-accumulates"
        for each in report["tabulated"]
    ]


def tabulated_summary(report: dict[str, Any]) -> str:
    """The same behind the word; empty where there is none."""
    return "\n".join(f"  tables: {line}" for line in tabulated_lines(report))


def trimmed_summary(report: dict[str, Any]) -> str:
    """Lines of what is gone, of what stays, and of nodes whose values were not followed; empty
    where there was nothing."""
    found, large = report["trimmed"], report["too_large_to_follow"]
    gone = [(each["node"], each["constant"] + each["unused"], each["channels"]) for each in found]
    parts = [f"{count} of {total} at node {node}" for node, count, total in gone if count]
    kept: Counter[str] = Counter()
    for each in found:
        kept.update(each["kept"])
    stays = [f"{count} {_REASONS[Kept(reason)]}" for reason, count in sorted(kept.items())]
    lines = [
        f"  dead channels left out: {', '.join(parts)}" if parts else "",
        f"  dead channels kept: {', '.join(stays)}" if stays else "",
        f"  constant channels not looked for at {node_numbers(large)}: too large" if large else "",
    ]
    return "\n".join(filter(None, lines))
