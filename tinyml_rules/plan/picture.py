"""Schedule and plan -> the memory plan as a picture, `<name>.memory.svg`.

Time goes across in tasks, bytes go up, and below stands a table with every tensor.  The text is the
same for the same plan: no clock, no fonts of its own, no scripts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.plan.peak import Kind, Peak, Resident, find_peak, residents
from tinyml_rules.plan.tasks import Schedule, Task

_COLOURS = {
    Kind.INPUT: "#4e8fd0",
    Kind.OUTPUT: "#58a55c",
    Kind.WHOLE: "#d9a441",
    Kind.RING: "#9a6cc4",
}
_LEFT, _TOP, _HEIGHT = 76, 76, 520
_COLUMN, _END_COLUMN = 92, 74
_MINIMAL_WIDTH = 720
_LINE = 13
_CHARACTER = 6.1
"""Width of a character of the text of boxes and table, which is monospaced at 10 pixels."""
_ROW = "{:>6}  {:>8}  {:>8}  {:12}  {:>9}  {:>13}  {}"
_HEAD = ("tensor", "bytes", "offset", "kind", "rows", "alive", "name")
_LONGEST_NAME = 160
_STYLE = (
    "text{font-family:monospace;font-size:10px;fill:#222}"
    ".title{font-size:15px;font-weight:bold}.note{fill:#666}.bound{fill:#b3261e}"
    ".box{stroke:#333;stroke-width:.8;fill-opacity:.62}.grid{stroke:#ddd}"
    ".in-box{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-opacity:.75}"
    ".axis{stroke:#666}.line{stroke:#b3261e;stroke-dasharray:6 3}"
)
_HATCH = (
    '<pattern id="shared" width="6" height="6" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><path d="M0 0V6" stroke="#222" stroke-width="1.4" '
    'stroke-opacity=".55"/></pattern>'
)


@dataclass(frozen=True)
class _Scale:
    """Where tasks and bytes lie, in pixels.  `edges` has the left edge of each column and the last
    column's right one; column 0 is the time before the first task."""

    edges: tuple[int, ...]
    arena_bytes: int

    def y(self, offset: int) -> float:
        return _TOP + _HEIGHT * (1 - offset / max(self.arena_bytes, 1))

    def span(self, first: int, last: int) -> tuple[int, int]:
        """(left edge, width) from task `first` to task `last`, both included."""
        return self.edges[first + 1], self.edges[last + 2] - self.edges[first + 1]


def memory_picture(schedule: Schedule, plan: MemoryPlan) -> str:
    """The SVG file's text; ASCII, whatever the names of the tensors hold."""
    everything = residents(schedule, plan)
    scale = _Scale(_edges(schedule), plan.arena_bytes)
    peak = find_peak(schedule, plan)
    table_top = _TOP + _HEIGHT + 56
    table = list(_table_rows(schedule, everything))
    at_peak = frozenset() if peak is None else frozenset(each.tensor for each in peak.residents)
    body = [
        *_heading(schedule, plan, peak),
        *_columns(schedule, scale, peak),
        *_grid(scale),
        *(line for each in everything for line in _box(each, scale)),
        *_shared_bytes(everything, scale),
        *(line for each in everything for line in _box_text(each, scale)),
        *_bound(plan, scale),
        _text(_LEFT, table_top, _ROW.format(*_HEAD), style="note"),
        *(
            _text(_LEFT, table_top + _LINE * number, row, style="bound" * (each.tensor in at_peak))
            for number, (each, row) in enumerate(zip(everything, table, strict=True), start=1)
        ),
    ]
    width = max(scale.edges[-1] + 20, _LEFT + round(max(map(len, table), default=0) * _CHARACTER))
    height = table_top + _LINE * (len(everything) + 2)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}">',
            f"<style>{_STYLE}</style><defs>{_HATCH}</defs>",
            f'<rect width="{width}" height="{height}" fill="#fff"/>',
            *body,
            "</svg>\n",
        ]
    )


def _edges(schedule: Schedule) -> tuple[int, ...]:
    widths = [_END_COLUMN, *map(_column_width, schedule.tasks), _END_COLUMN]
    spare = _MINIMAL_WIDTH - 20 - _LEFT - sum(widths)
    wider = max(spare // max(len(schedule.tasks), 1), 0)  # a short model fills the page
    edges = [_LEFT]
    for number, width in enumerate(widths):
        is_task = 0 < number < len(widths) - 1
        edges.append(edges[-1] + width + (wider if is_task else 0))
    return tuple(edges)


def _column_width(task: Task) -> int:
    """A streamed task is as wide as its steps together would be, up to three columns."""
    return _COLUMN * min(len(task.steps) + 1, 3) if task.is_streamed else _COLUMN


def _heading(schedule: Schedule, plan: MemoryPlan, peak: Peak | None) -> Iterator[str]:
    name = _printable(schedule.program.graph.name)
    yield _text(_LEFT, 22, f"{name}: arena {plan.arena_bytes} bytes", style="title")
    if peak is not None:
        lost = plan.arena_bytes - peak.used_bytes
        rest = f", {lost} lie between tensors" if lost else ""
        words = f"most in use at {_nodes(peak.nodes)}: {peak.used_bytes} bytes{rest}"
        yield _text(_LEFT, 38, words, style="note")
    left = _LEFT
    for kind, colour in _COLOURS.items():
        yield f'<rect x="{left}" y="45" width="10" height="10" fill="{colour}" class="box"/>'
        yield _text(left + 14, 54, kind.value)
        left += 30 + round(len(kind.value) * _CHARACTER)
    yield f'<rect x="{left}" y="45" width="10" height="10" fill="url(#shared)" stroke="#333"/>'
    yield _text(left + 14, 54, "bytes that an output takes over from its dying input")


def _columns(schedule: Schedule, scale: _Scale, peak: Peak | None) -> Iterator[str]:
    """A label under each column, the peak's column shaded."""
    bottom = _TOP + _HEIGHT
    count = len(schedule.tasks)
    for task in range(-1, count + 1):
        left, width = scale.span(task, task)
        if peak is not None and task == peak.task:
            yield (
                f'<rect x="{left}" y="{_TOP - 12}" width="{width}" height="{_HEIGHT + 44}" '
                'fill="#fbe3df"/>'
            )
            yield _text(left + width / 2, _TOP - 3, "peak", style="bound", anchor="middle")
        for line, words in enumerate(_column_words(schedule, task)):
            middle = left + width / 2
            fitting = _fit(words, width - 2)
            yield _text(middle, bottom + 14 + _LINE * line, fitting, anchor="middle")


def _column_words(schedule: Schedule, task: int) -> tuple[str, ...]:
    if task == -1:
        return ("before",)
    if task == len(schedule.tasks):
        return ("after",)
    steps = schedule.tasks[task].steps
    nodes = tuple(step.node.index for step in steps)
    if schedule.tasks[task].is_streamed:
        return (_nodes(nodes), "row by row")
    return (_nodes(nodes), steps[0].node.op.replace("_2d", ""))


def _nodes(nodes: Sequence[int]) -> str:
    if len(nodes) == 1:
        return f"node {nodes[0]}"
    if list(nodes) == list(range(nodes[0], nodes[-1] + 1)):
        return f"nodes {nodes[0]}-{nodes[-1]}"
    return f"nodes {', '.join(map(str, nodes))}"


def _grid(scale: _Scale) -> Iterator[str]:
    left, right = scale.edges[0], scale.edges[-1]
    for edge in scale.edges:
        yield f'<path d="M{edge} {_TOP}V{_TOP + _HEIGHT}" class="grid"/>'
    for offset in _ticks(scale.arena_bytes):
        y = scale.y(offset)
        yield f'<path d="M{left} {y:.1f}H{right}" class="grid"/>'
        yield _text(left - 6, y + 3, str(offset), style="note", anchor="end")
    yield f'<path d="M{left} {_TOP}V{_TOP + _HEIGHT}H{right}" fill="none" class="axis"/>'


def _ticks(arena_bytes: int) -> range:
    """Between four and eight round numbers, round for a computer."""
    step = 1
    while arena_bytes // step > 8:
        step *= 2
    return range(0, arena_bytes + 1, step)


def _box(each: Resident, scale: _Scale) -> Iterator[str]:
    left, width = scale.span(each.first, each.last)
    top, bottom = scale.y(each.end), scale.y(each.offset)
    yield (
        f'<rect x="{left}" y="{top:.1f}" width="{width}" height="{bottom - top:.1f}" '
        f'fill="{_COLOURS[each.kind]}" class="box"><title>{_escaped(_summary(each))}</title></rect>'
    )


def _summary(each: Resident) -> str:
    rows = f", {each.kept_rows} of {each.rows} rows" if each.kind is Kind.RING else ""
    return f"#{each.tensor} {each.name}: {each.size_bytes} bytes at {each.offset}{rows}"


def _shared_bytes(everything: Sequence[Resident], scale: _Scale) -> Iterator[str]:
    """Hatched: where two tensors lie at the same place at the same time."""
    for one, other in _alive_together(everything):
        first, last = max(one.first, other.first), min(one.last, other.last)
        begin, end = max(one.offset, other.offset), min(one.end, other.end)
        if begin < end:
            left, width = scale.span(first, last)
            top, bottom = scale.y(end), scale.y(begin)
            yield (
                f'<rect x="{left}" y="{top:.1f}" width="{width}" height="{bottom - top:.1f}" '
                'fill="url(#shared)"/>'
            )


def _alive_together(everything: Sequence[Resident]) -> Iterator[tuple[Resident, Resident]]:
    """Every two that are there at the same time, in the order in which the second one comes."""
    alive: list[Resident] = []
    for other in sorted(everything, key=lambda each: (each.first, each.tensor)):
        alive = [one for one in alive if one.last >= other.first]
        yield from ((one, other) for one in alive)
        alive.append(other)


def _box_text(each: Resident, scale: _Scale) -> Iterator[str]:
    """As many lines as fit into its first column, where no other tensor's text begins."""
    left, width = scale.span(each.first, each.first)
    top, bottom = scale.y(each.end), scale.y(each.offset)
    # the last parts of a name tell tensors apart, the first ones are often the same
    name = "/".join(_printable(each.name).split("/")[-2:])
    lines = [f"#{each.tensor} {each.size_bytes} B", name, f"at {each.offset}"]
    if each.kind is Kind.RING:
        lines.append(f"{each.kept_rows} of {each.rows} rows")
    fitting = lines[: max(int((bottom - top - 2) // 11), 0)]
    for number, words in enumerate(fitting):
        shown = _fit(words, width - 6)
        yield _text(left + 4, top + 11 + 11 * number, shown, style="in-box")


def _bound(plan: MemoryPlan, scale: _Scale) -> Iterator[str]:
    y = scale.y(plan.lower_bound_bytes)
    left, right = scale.edges[0], scale.edges[-1]
    yield f'<path d="M{left} {y:.1f}H{right}" class="line"/>'
    words = "lower bound = arena" if plan.is_optimal else "lower bound"
    label = f"{words}: {plan.lower_bound_bytes}"
    yield _text(right - 4, y - 4, label, style="bound", anchor="end")


def _table_rows(schedule: Schedule, everything: Sequence[Resident]) -> Iterator[str]:
    for each in everything:
        rows = f"{each.kept_rows}/{each.rows}" if each.kind is Kind.RING else ""
        alive = f"{_moment(schedule, each.first)}..{_moment(schedule, each.last)}"
        name = _fit(_printable(each.name), _LONGEST_NAME * _CHARACTER)
        tensor = f"#{each.tensor}"
        yield _ROW.format(tensor, each.size_bytes, each.offset, each.kind.value, rows, alive, name)


def _moment(schedule: Schedule, task: int) -> str:
    """The node with which a task begins."""
    if task < 0:
        return "before"
    return str(schedule.tasks[task].steps[0].node.index) if task < len(schedule.tasks) else "after"


def _fit(words: str, width: float) -> str:
    room = int(width // _CHARACTER)
    return words if len(words) <= room else words[: max(room - 1, 0)] + "~"


def _printable(name: str) -> str:
    return re.sub(r"[^ -~]", "?", name)


def _escaped(words: str) -> str:
    return escape(_printable(words), {'"': "&quot;", "'": "&apos;"})


def _text(x: float, y: float, words: str, *, style: str = "", anchor: str = "") -> str:
    attributes = f' class="{style}"' if style else ""
    attributes += f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x:g}" y="{y:.1f}" xml:space="preserve"{attributes}>{_escaped(words)}</text>'
