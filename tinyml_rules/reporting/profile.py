"""A profile as a person reads it: what each node takes, the slowest first."""

from __future__ import annotations

from collections.abc import Iterator

from tinyml_rules.ir.text import operator_name
from tinyml_rules.reporting.firmware import NodeProfile, Profile

_TEXT_COLUMNS = 2
"""The first ones are words, the others numbers."""


def profile_lines(profile: Profile) -> Iterator[str]:
    """A table, and by how much the measured image differs from the one without marks."""
    unit, total = profile.unit, profile.total
    yield f"  profile    {unit} of each node in the slowest inference"
    has_runs = any(node.runs != 1 for node in profile.nodes)
    estimate = profile.total_estimated_cycles
    has = {"runs": has_runs, "~cycles": estimate is not None}
    head = ["node", "operator", unit, "share", "per product", "per value", "x floor", *has]
    between = profile.between_nodes
    rows = [
        head,
        *map(_row, sorted(profile.nodes, key=lambda each: -each.count)),
        ["", "between nodes", f"{between:,}", _percent(between / total), *5 * [""]],
        ["", "total", f"{total:,}", *5 * [""], _estimate(estimate)],
    ]
    columns = [each for each in zip(*rows, strict=True) if has.get(each[0], True)]
    padded = [_padded(column, number) for number, column in enumerate(columns)]
    for row in zip(*padded, strict=True):
        yield f"    {'  '.join(row)}".rstrip()
    yield f"    {_difference(profile)}"
    if profile.trace_left_out:
        yield f"    the last {profile.trace_left_out:,} stays in nodes are not in the trace"


def _row(node: NodeProfile) -> list[str]:
    return [
        node.label,
        operator_name(node.op),
        f"{node.count:,}",
        _percent(node.share),
        _ratio(node.per_mac),
        _ratio(node.per_value),
        "" if node.times_floor is None else f"{node.times_floor:.1f}",
        f"{node.runs:,}",
        _estimate(node.estimated_cycles),
    ]


def _estimate(cycles: int | None) -> str:
    return "" if cycles is None else f"~{cycles:,}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _ratio(value: float | None) -> str:
    return "" if value is None else f"{value:,.2f}"


def _padded(column: tuple[str, ...], number: int) -> list[str]:
    width = max(map(len, column))
    return [each.ljust(width) if number < _TEXT_COLUMNS else each.rjust(width) for each in column]


def _difference(profile: Profile) -> str:
    """In words: what is profiled is another image than the one whose figures are shown."""
    change, real = profile.difference, profile.total_without_marks
    if not change:
        return "profiling did not change the total"
    percent = f"{100 * abs(change) / real:.3f} %"
    return f"profiling changed the total by {change:+,} {profile.unit} ({percent})"
