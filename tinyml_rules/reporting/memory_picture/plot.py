"""The axes: tasks go across, bytes go up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, pairwise

from tinyml_rules.reporting.memory_picture.words import (
    BOLD,
    SIZE,
    cut,
    escaped,
    nodes_phrase,
    nodes_short,
    width,
)
from tinyml_rules.reporting.timeline import Task

PAGE_WIDTH = 1200
"""No picture is wider, however many tasks there are."""
NARROW_PAGE_WIDTH = 880
"""Nor less wide than this, which the heading and the table need."""
GAP = 6
"""Pixels around text."""
LABEL_GAP = 5
"""The least between two labels of an axis."""

_COLUMN, _END_COLUMN = 96.0, 56.0
_LINE = 15
_TICK_DISTANCE = 30


@dataclass(frozen=True)
class Rect:
    """A place on the page, in pixels, y going down."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    def overlap(self, other: Rect) -> Rect | None:
        """What both cover, if anything."""
        found = Rect(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )
        return found if found.width > 0 and found.height > 0 else None


@dataclass(frozen=True)
class Plot:
    """The coordinates of tasks and bytes.  `edges` has the left edge of each column and the last
    column's right one; column 0 is the time before the first task, the last one that after the last
    task."""

    edges: tuple[float, ...]
    top: float
    bottom: float
    arena_bytes: int

    @property
    def left(self) -> float:
        return self.edges[0]

    @property
    def right(self) -> float:
        return self.edges[-1]

    def y(self, offset: int) -> float:
        """The height of a byte, from the arena's start."""
        return self.bottom - (self.bottom - self.top) * offset / max(self.arena_bytes, 1)

    def rect(self, first: int, last: int, offset: int, end: int) -> Rect:
        """Bytes `offset` .. `end` from task `first` to task `last`, both included."""
        return Rect(self.edges[first + 1], self.y(end), self.edges[last + 2], self.y(offset))


def plot_of(
    tasks: Sequence[Task], arena_bytes: int, *, top: float, height: float, margin: float
) -> Plot:
    """The plot of a page that is as wide as it has to be; `margin`: pixels to its right."""
    left = round(max(width(f"{arena_bytes:,}") * BOLD, 30)) + 3 * GAP
    natural = [_column_width(task) for task in tasks]
    room = PAGE_WIDTH - left - margin - 2 * _END_COLUMN
    least = NARROW_PAGE_WIDTH - left - margin - 2 * _END_COLUMN
    total = sum(natural)
    wanted = min(max(total, least), room)
    columns = [each * wanted / total for each in natural]
    edges = [float(left)]
    for each in (_END_COLUMN, *columns, _END_COLUMN):
        edges.append(edges[-1] + each)
    return Plot(tuple(edges), top, top + height, arena_bytes)


def _column_width(task: Task) -> float:
    """A streamed task is as wide as its steps together would be, up to three columns."""
    return _COLUMN * min(len(task.nodes) + 1, 3) if task.is_streamed else _COLUMN


def text(x: float, y: float, words: str, style: str, *, anchor: str = "") -> str:
    """One line of text, `y` at its base."""
    more = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{style}"{more}>{escaped(words)}</text>'


def byte_axis(plot: Plot) -> Iterator[str]:
    """Lines at round numbers, and at the arena's end."""
    yield text(plot.left - GAP, plot.top - 14, "bytes", "soft", anchor="end")
    end = plot.y(plot.arena_bytes)
    for offset in _ticks(plot):
        y = plot.y(offset)
        if y - end >= SIZE + 2:
            yield f'<path d="M{plot.left:.1f} {y:.1f}H{plot.right:.1f}" class="grid"/>'
            yield text(plot.left - GAP, y + 4, f"{offset:,}", "soft", anchor="end")
    yield f'<path d="M{plot.left:.1f} {end:.1f}H{plot.right:.1f}" class="grid"/>'
    yield text(plot.left - GAP, end + 4, f"{plot.arena_bytes:,}", "ink strong", anchor="end")


def _ticks(plot: Plot) -> range:
    """Multiples of 1, 2 or 5 times a power of ten, far enough apart to be read."""
    steps = (factor * 10**power for power in count() for factor in (1, 2, 5))
    far_enough = (step for step in steps if plot.y(0) - plot.y(step) >= _TICK_DISTANCE)
    return range(0, plot.arena_bytes, next(far_enough))


def task_axis(tasks: Sequence[Task], plot: Plot) -> Iterator[str]:
    """Which nodes run when: all of them, or, where columns are narrow, some by number."""
    y = plot.bottom + _LINE
    yield f'<path d="M{plot.left:.1f} {plot.bottom:.1f}H{plot.right:.1f}" class="axis"/>'
    yield text(plot.left - GAP, y, "node", "soft", anchor="end")
    for column, words in ((0, "before"), (len(tasks) + 1, "after")):
        middle = (plot.edges[column] + plot.edges[column + 1]) / 2
        yield text(middle, y, words, "soft", anchor="middle")
    has_ops = all(_below(task, plot, number) for number, task in enumerate(tasks))
    for number, words in _labels(tasks, plot).items():
        middle = (plot.edges[number + 1] + plot.edges[number + 2]) / 2
        yield f'<path d="M{middle:.1f} {plot.bottom:.1f}v3" class="axis"/>'
        yield text(middle, y, words, "ink", anchor="middle")
        below = _below(tasks[number], plot, number)
        if below and (has_ops or tasks[number].is_streamed):
            yield text(middle, y + _LINE, below, "soft", anchor="middle")


def _labels(tasks: Sequence[Task], plot: Plot) -> dict[int, str]:
    """By task, those of columns that hold theirs; where steps do not, those of as many as fit, at
    even distances."""
    labels = {}
    taken = [(plot.edges[0], plot.edges[1]), (plot.edges[-2], plot.edges[-1])]

    def place(number: int, words: str) -> None:
        middle = (plot.edges[number + 1] + plot.edges[number + 2]) / 2
        half = (width(words) + LABEL_GAP) / 2
        if all(middle + half <= left or middle - half >= right for left, right in taken):
            taken.append((middle - half, middle + half))
            labels[number] = words

    single = [number for number, task in enumerate(tasks) if not task.is_streamed]
    widest = max((width(f"{tasks[each].nodes[0]}") for each in single), default=0)
    narrowest = min((plot.edges[each + 2] - plot.edges[each + 1] for each in single), default=1)
    steps = (factor * 10**power for power in count() for factor in (1, 2, 5))
    step = next(each for each in steps if each * narrowest >= widest + LABEL_GAP)
    for number, task in enumerate(tasks):
        if task.is_streamed or step == 1:
            room = plot.edges[number + 2] - plot.edges[number + 1]
            place(number, _label(task.nodes, room))
    if step > 1:
        for number in single:
            node = tasks[number].nodes[0]
            if node % step == 0:
                place(number, str(node))
    return labels


def _label(nodes: Sequence[int], room: float) -> str:
    """The longest label of a column's nodes that fits, else the shortest."""
    ends = str(nodes[0]) if len(nodes) == 1 else f"{nodes[0]}\u2026{nodes[-1]}"
    choices = (nodes_phrase(nodes), nodes_short(nodes))
    return next((words for words in choices if width(words) <= room - LABEL_GAP), ends)


def _below(task: Task, plot: Plot, number: int) -> str:
    """What a task is, where its column has room for that."""
    room = plot.edges[number + 2] - plot.edges[number + 1] - LABEL_GAP
    words = "row by row" if task.is_streamed else task.op.replace("_2d", "")
    return cut(words, room)


def grid(plot: Plot) -> Iterator[str]:
    """Lines between columns that are wide enough to be told apart by them."""
    for left, right in pairwise(plot.edges):
        if right - left >= 16:
            yield f'<path d="M{right:.1f} {plot.top:.1f}V{plot.bottom:.1f}" class="grid"/>'


def peak_outline(plot: Plot, task: int) -> Iterator[str]:
    """A frame around the column of the task with the most bytes in use, wide enough to be seen."""
    left, right = plot.edges[task + 1], plot.edges[task + 2]
    spare = max(6 - (right - left), 0) / 2
    yield (
        f'<rect x="{left - spare:.1f}" y="{plot.top - 4:.1f}" class="peak" '
        f'width="{right - left + 2 * spare:.1f}" height="{plot.bottom - plot.top + 4:.1f}"/>'
    )
    yield text((left + right) / 2, plot.top - 9, "peak", "ink strong", anchor="middle")
