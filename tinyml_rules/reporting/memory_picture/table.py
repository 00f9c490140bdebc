"""The table below the plot: the tensors in the arena at the peak, then the largest of the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tinyml_rules.reporting.memory_picture.plot import GAP, text
from tinyml_rules.reporting.memory_picture.style import fill_of
from tinyml_rules.reporting.memory_picture.words import cut, cut_front, printable
from tinyml_rules.reporting.peak import Kind, Resident
from tinyml_rules.reporting.timeline import Task, Timeline

MOST_ROWS = 32
ROW = 18

_TENSOR, _KIND = 18, 70
_RIGHT = {"bytes": 216, "from": 286, "to": 356, "rows kept": 446}
"""Right edges of columns of numbers, from the table's left edge."""
_ALIVE, _NAME = 462, 560


@dataclass(frozen=True)
class Table:
    """Its place: left edge, base of its first line, right edge."""

    left: float
    top: float
    right: float
    scope: str


def table_height(count: int) -> float:
    """Pixels that a table of so many tensors takes."""
    return ROW * (min(count, MOST_ROWS) + 4)


def draw_table(table: Table, timeline: Timeline, peak: Sequence[Resident]) -> Iterator[str]:
    """A line for each tensor, those of the peak from the arena's end down."""
    at_peak = sorted(peak, key=lambda each: (-each.offset, -each.end))[:MOST_ROWS]
    inside = {each.tensor for each in peak}
    others = [each for each in timeline.tensors if each.tensor not in inside]
    if len(others) > MOST_ROWS - len(at_peak):
        others.sort(key=lambda each: (-each.size_bytes, each.first, each.tensor))
    shown = others[: MOST_ROWS - len(at_peak)]
    y = table.top
    yield from _head(table, y)
    for title, part in (("in the arena at the peak", at_peak), ("at other times", shown)):
        if part:
            y += ROW
            yield text(table.left, y, title, "soft")
        for each in part:
            y += ROW
            yield from _row(table, timeline.tasks, each, y)
    left_out = len(timeline.tensors) - len(at_peak) - len(shown)
    if left_out:
        yield text(table.left, y + ROW, f"and {left_out:,} more, none larger", "soft")


def _head(table: Table, y: float) -> Iterator[str]:
    yield text(table.left + _TENSOR, y, "tensor", "soft")
    yield text(table.left + _KIND, y, "kind", "soft")
    for words, right in _RIGHT.items():
        yield text(table.left + right, y, words, "soft", anchor="end")
    yield text(table.left + _ALIVE, y, "nodes", "soft")
    yield text(table.left + _NAME, y, "name", "soft")
    yield f'<path d="M{table.left:.1f} {y + GAP:.1f}H{table.right:.1f}" class="grid"/>'


def _row(table: Table, tasks: Sequence[Task], each: Resident, y: float) -> Iterator[str]:
    left = table.left
    yield (
        f'<rect x="{left:.1f}" y="{y - 9:.1f}" width="12" height="11" '
        f'fill="{fill_of(each.kind.value, table.scope)}" class="box"/>'
    )
    yield text(left + _TENSOR, y, each.label, "ink strong")
    yield text(left + _KIND, y, each.kind.word, "ink")
    rows = f"{each.kept_rows:,} of {each.rows:,}" if each.kind is Kind.RING else ""
    cells = (f"{each.size_bytes:,}", f"{each.offset:,}", f"{each.end:,}", rows)
    for words, right in zip(cells, _RIGHT.values(), strict=True):
        if words:
            yield text(left + right, y, words, "ink", anchor="end")
    yield text(left + _ALIVE, y, cut(alive_nodes(tasks, each), _NAME - _ALIVE - GAP), "ink")
    name = cut_front(printable(each.name), table.right - left - _NAME)
    if name:
        yield text(left + _NAME, y, name, "ink")


def alive_nodes(tasks: Sequence[Task], each: Resident) -> str:
    """From the first node of its first task to the last one of its last."""
    if each.last < 0 and not tasks:  # an input that nobody reads, where nothing runs
        return "before"
    first = "before" if each.first < 0 else str(tasks[each.first].nodes[0])
    is_kept = each.last >= len(tasks)
    last = "after" if is_kept else str(tasks[max(each.last, 0)].nodes[-1])
    return first if first == last else f"{first}\u2013{last}"
