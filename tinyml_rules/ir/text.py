"""Parts of sentences about a graph."""

from __future__ import annotations

from collections.abc import Sequence

MOST_OF_A_NAME = 44
"""Characters of a tensor's name in a message."""
MOST_NUMBERS = 8
"""Nodes, or runs of nodes, that a sentence names."""
SHORTEST_RUN = 4
"""Nodes in a row that are named by the first and the last."""
CUSTOM_WORD = "custom "
"""The text before the quoted name of an unknown custom operator."""


def short_name(name: str) -> str:
    """A tensor's name in quotes, without the middle of a long one: converters join dozens."""
    text = repr(name)
    if len(text) <= MOST_OF_A_NAME:
        return text
    half = MOST_OF_A_NAME // 2 - 1
    return f"{text[:half]}..{text[-half:]}"


def counted(name: str, count: int) -> str:
    """`relu ×3`; a single one goes without a number."""
    return name if count == 1 else f"{name} ×{count}"


def counted_nodes(count: int) -> str:
    """`1,000 nodes`."""
    return f"{count:,} node" if count == 1 else f"{count:,} nodes"


def node_numbers(nodes: Sequence[int]) -> str:
    """`node 4`, or `nodes 4, 9, 12 to 20`; only the first of many."""
    if len(nodes) == 1:
        return f"node {nodes[0]}"
    runs: list[list[int]] = []
    for node in nodes:
        if runs and node == runs[-1][-1] + 1:
            runs[-1].append(node)
        else:
            runs.append([node])
    pieces: list[str] = []
    for run in runs:
        is_long = len(run) >= SHORTEST_RUN
        pieces += [f"{run[0]} to {run[-1]}"] if is_long else [str(node) for node in run]
    shown = ", ".join(pieces[:MOST_NUMBERS])
    return f"nodes {shown}" + (" and more" if len(pieces) > MOST_NUMBERS else "")


def operator_name(op: str) -> str:
    """The operator as TensorFlow spells it; a custom one has its own name."""
    return op if " " in op else op.upper()
