"""The text of a comparison: one line if all is equal, else the first difference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tinyml_rules.compare.reference import CHOICES
from tinyml_rules.compare.tensors import Compared, Comparison
from tinyml_rules.errors import WrongOutputError

_INDENT = "  "


def comparison_lines(comparison: Comparison, *, shows_all: bool) -> Iterator[str]:
    """Counts where all values are equal, each tensor where that is asked for, and what could not be
    compared."""
    compared = comparison.compared
    if shows_all:
        yield from (_line(each) for each in compared)
    if comparison.first is None:
        nodes = len({(each.graph, each.node.index) for each in compared})
        values = sum(each.values for each in compared)
        yield (
            f"{comparison.name} on {comparison.target}: {_counted(nodes, 'node')}, "
            f"{_counted(values, 'value')} of {_counted(comparison.samples, 'sample')}, "
            f"all equal to {CHOICES[comparison.reference]}'s"
        )
    left = sum(each.left_out for each in compared)
    if left:
        yield f"{_INDENT}{_counted(left, 'channel')} that the compiler left out not compared"
    for each in comparison.tensors:
        if each.reason:
            yield f"{_INDENT}not compared: {_name(each)}: {each.reason}"


def comparison_error(comparison: Comparison) -> WrongOutputError | None:
    """The first difference."""
    first = comparison.first
    if first is None or first.difference is None:
        return None
    found = first.difference
    what = (
        f"sample {found.sample}: {_name(first)}, index {list(found.place)}: {found.found}, "
        f"expected {found.expected} as {CHOICES[comparison.reference]} has it; {found.wrong:,} of "
        f"its {_counted(found.values, 'value')} differ"
    )
    where = f"{comparison.name} on {comparison.target}"
    error = WrongOutputError.at(where, what)
    assert isinstance(error, WrongOutputError)
    return error


def comparison_data(comparison: Comparison) -> dict[str, Any]:
    """The comparison as data for JSON."""
    first = comparison.first
    return {
        "name": comparison.name,
        "target": comparison.target,
        "reference": comparison.reference,
        "samples": comparison.samples,
        "is_equal": first is None,
        "first_difference": None if first is None else _described(first),
        "tensors": [_described(each) for each in comparison.tensors],
    }


def _described(compared: Compared) -> dict[str, Any]:
    found = compared.difference
    return {
        "graph": compared.graph,
        "node": compared.node.index,
        "op": compared.node.op,
        "tensor": compared.tensor.index,
        "name": compared.tensor.name,
        "shape": list(compared.tensor.shape),
        "values": compared.values,
        "channels_left_out": compared.left_out,
        "not_compared": compared.reason or None,
        "difference": found and {**vars(found), "place": list(found.place)},
    }


def _name(compared: Compared) -> str:
    return f"node {compared.label} ({compared.node.op}), tensor {compared.tensor}"


def _line(compared: Compared) -> str:
    found = compared.difference
    shape = "x".join(map(str, compared.tensor.shape)) or "scalar"
    state = "equal"
    if found is not None:
        state = (
            f"differs: {found.wrong:,} of {found.values:,}, first sample {found.sample} "
            f"{list(found.place)}: {found.found}, expected {found.expected}"
        )
    return f"{_INDENT}{_name(compared)} {shape}: {_counted(compared.values, 'value')} {state}"


def _counted(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"
