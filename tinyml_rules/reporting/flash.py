"""Where the flash of a linked firmware goes: the sizes of its symbols, by node and by purpose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tinyml_rules.reporting.firmware import Flash, FlashOfFunction, FlashOfNode
from tinyml_rules.reporting.parts import NodeFigures
from tinyml_rules.reporting.report import Report

_OF_A_NODE = ("weights_bytes", "tables_bytes", "kernel_bytes")
_TOTALS = ("weights_bytes", "tables_bytes", "code_bytes", "startup_bytes")
_WEIGHTS = "_weights"
_IMAGE = "image"
"""Of all constants, where they can be exchanged."""


def with_flash(report: Report) -> Report:
    """A report of a model and its firmware with `flash`, from its `symbols`; the same where nothing
    was linked.  Several symbols of one name count as one."""
    symbols: dict[str, int] = {}
    for each in report.build.symbols if report.build else ():
        if each.flash_bytes:
            symbols[each.symbol] = symbols.get(each.symbol, 0) + each.flash_bytes
    return replace(report, flash=flash_of(report, symbols)) if symbols else report


def flash_of(report: Report, symbols: Mapping[str, int]) -> Flash:
    """Bytes by purpose, which add up to `flash_bytes`; those of each node's constants, with its
    share of the code of kernels that several nodes run; and all functions of the model.

    `tables_bytes` are biases, multipliers and all other constants of nodes but their weights.  What
    the compiler put into the model's function is no kernel's.  `unnamed_bytes` have no symbol:
    vectors, constants between functions, and padding.
    """
    assert report.build is not None, "symbols are those of a build"
    prefix = f"{report.model}_"
    nodes = {node.label: dict.fromkeys(_OF_A_NODE, 0) for node in report.nodes}
    totals = dict.fromkeys(_TOTALS, 0)
    functions: list[FlashOfFunction] = []
    for symbol, size in symbols.items():
        if not symbol.startswith(prefix):
            totals["startup_bytes"] += size
            continue
        rest = symbol.removeprefix(prefix)
        if rest == _IMAGE and report.options.get("weights") == "partition":
            _add_image(size, report, totals, nodes)
        elif rest.startswith("node_") or "_node_" in rest:
            what = "weights_bytes" if symbol.endswith(_WEIGHTS) else "tables_bytes"
            totals[what] += size
            label = _longest(rest.removeprefix("node_"), list(nodes))
            if label is not None:
                nodes[label][what] += size
        else:
            totals["code_bytes"] += size
            users = _users(rest, report.nodes)
            functions.append(FlashOfFunction(symbol, size, tuple(users)))
            for number, label in enumerate(users):  # bytes that do not divide are the first ones'
                extra = number < size % len(users)
                nodes[label]["kernel_bytes"] += size // len(users) + extra
    functions.sort(key=lambda each: (-each.bytes, each.symbol))
    return Flash(
        **totals,
        unnamed_bytes=report.build.flash_bytes - sum(totals.values()),
        nodes=tuple(FlashOfNode(label, **sizes) for label, sizes in nodes.items()),
        functions=tuple(functions),
    )


def _add_image(
    size: int, report: Report, totals: dict[str, int], nodes: dict[str, dict[str, int]]
) -> None:
    """The tables of each node are its weights; the rest are numbers, and what is between them."""
    for node in report.nodes:
        nodes[node.label]["weights_bytes"] += node.constant_bytes
        totals["weights_bytes"] += node.constant_bytes
        size -= node.constant_bytes
    totals["tables_bytes"] += size


def _longest(words: str, names: Sequence[str]) -> str | None:
    """The longest of the names that the words begin with, up to the end of a word."""
    found = [each for each in names if words == each or words.startswith((f"{each}_", f"{each}."))]
    return max(found, key=len, default=None)


def _users(function: str, nodes: Sequence[NodeFigures]) -> list[str]:
    """The labels of the nodes whose kernel a function is."""
    kernel = _longest(function, [node.kernel for node in nodes])
    return [node.label for node in nodes if node.kernel == kernel]
