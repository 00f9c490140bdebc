"""A box for every tensor: its time and its place in the arena."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from tinyml_rules.ir.text import operator_name
from tinyml_rules.reporting.memory_picture.plot import Plot, Rect, text
from tinyml_rules.reporting.memory_picture.style import MANY, SHARED, STATE, fill_of
from tinyml_rules.reporting.memory_picture.words import (
    BOLD,
    cut,
    cut_front,
    escaped,
    printable,
    width,
)
from tinyml_rules.reporting.peak import Kind, Resident

MOST_BOXES = 300
"""Of more tensors only those have a box of their own that are wide enough to be told apart, inputs
and outputs, and those of the peak."""

_PAD = 5
_LINE = 13
_WIDE = 6.0
"""Pixels of a box that can be told from its neighbours."""
_STRIP = 2.0
"""Pixels of time in which tensors without a box of their own are drawn as one."""
_MOST_AREAS = 8


@dataclass(frozen=True)
class Boxes:
    """What is drawn: tensors with a box of their own, and the rest, by time and bytes."""

    plot: Plot
    scope: str
    own: tuple[Resident, ...]
    rest: tuple[Resident, ...]

    def rect(self, each: Resident) -> Rect:
        """The place of a tensor's box."""
        return self.plot.rect(each.first, each.last, each.offset, each.end)


def boxes_of(
    everything: Sequence[Resident], at_peak: Sequence[Resident], plot: Plot, scope: str
) -> Boxes:
    """All tensors as boxes, or, where they are too many, those that can be told apart."""
    if len(everything) <= MOST_BOXES:
        return Boxes(plot, scope, tuple(everything), ())
    boxes = Boxes(plot, scope, (), tuple(everything))
    named = {each.tensor for each in at_peak}

    def order(each: Resident) -> tuple[bool, float, int]:
        is_end = each.kind in (Kind.INPUT, Kind.OUTPUT) or each.tensor in named
        return not is_end, -boxes.rect(each).width, each.tensor

    chosen = sorted(everything, key=order)[:MOST_BOXES]
    own = {each.tensor for each in chosen if boxes.rect(each).width >= _WIDE or not order(each)[0]}
    return Boxes(
        plot,
        scope,
        tuple(each for each in everything if each.tensor in own),
        tuple(each for each in everything if each.tensor not in own),
    )


def draw_boxes(boxes: Boxes) -> Iterator[str]:
    """Boxes without text, then the bytes that two of them share."""
    yield from _strips(boxes)
    for each in boxes.own:
        title = f"<title>{escaped(_summary(each))}</title>"
        yield f"{_shape(boxes.rect(each), each.kind.value, boxes.scope)}{title}</rect>"
    for rect in shared_bytes(boxes):
        yield f"{_shape(rect, SHARED, boxes.scope)}<title>{SHARED}</title></rect>"


def draw_state(plot: Plot, state_bytes: int, scope: str) -> Iterator[str]:
    """The bytes at the arena's start that are no tensor's, all the time."""
    if state_bytes:
        rect = Rect(plot.left, plot.y(state_bytes), plot.right, plot.bottom)
        title = f"{STATE}: {state_bytes:,} B at 0"
        yield f"{_shape(rect, STATE, scope)}<title>{title}</title></rect>"


def _shape(rect: Rect, kind: str, scope: str, *, style: str = "box") -> str:
    return (
        f'<rect x="{rect.left:.1f}" y="{rect.top:.1f}" width="{rect.width:.1f}" '
        f'height="{rect.height:.1f}" fill="{fill_of(kind, scope)}" class="{style}">'
    )


def _summary(each: Resident) -> str:
    rows = f", {each.kept_rows:,} of {each.rows:,} rows" if each.kind is Kind.RING else ""
    size = f"{each.size_bytes:,} B at {each.offset:,}{rows}"
    return f"{each.label} {printable(each.name)}: {each.kind.word}, {size}"


def shared_bytes(boxes: Boxes) -> list[Rect]:
    """Areas in which two tensors are at the same place at the same time."""
    return [
        boxes.plot.rect(first, last, begin, end)
        for one, other in combinations(boxes.own, 2)
        if (first := max(one.first, other.first)) <= (last := min(one.last, other.last))
        and (begin := max(one.offset, other.offset)) < (end := min(one.end, other.end))
    ]


def _strips(boxes: Boxes) -> Iterator[str]:
    """The bytes in use by tensors without a box of their own, in a few pixels of time at once."""
    begun: dict[tuple[int, int], float] = {}
    right = boxes.plot.left
    for right, spans in _moments(boxes):
        for span in [span for span in begun if span not in spans]:
            yield _strip(boxes, span, begun.pop(span), right)
        for span in spans:
            begun.setdefault(span, right)
    for span, left in begun.items():
        yield _strip(boxes, span, left, right)


def _strip(boxes: Boxes, span: tuple[int, int], left: float, right: float) -> str:
    rect = Rect(left, boxes.plot.y(span[1]), right, boxes.plot.y(span[0]))
    shape = _shape(rect, MANY, boxes.scope, style="strip")
    return f"{shape}<title>{MANY}</title></rect>"


def _moments(boxes: Boxes) -> Iterator[tuple[float, set[tuple[int, int]]]]:
    """(left edge, spans of bytes in use from there on), and the right end with none."""
    waiting = sorted(boxes.rest, key=lambda each: (each.first, each.tensor), reverse=True)
    edges, last = boxes.plot.edges, len(boxes.plot.edges) - 1
    alive: list[Resident] = []
    column = 0
    while column < last:
        left = edges[column]
        column += 1
        while column < last and edges[column + 1] <= left + _STRIP:
            column += 1
        while waiting and waiting[-1].first + 1 < column:
            alive.append(waiting.pop())
        yield left, _spans(alive)
        alive = [each for each in alive if each.last + 1 >= column]
    yield edges[column], set()


def _spans(alive: Sequence[Resident]) -> set[tuple[int, int]]:
    """Bytes that at least one of them occupies, as few spans of them as there are."""
    spans: list[tuple[int, int]] = []
    for each in sorted(alive, key=lambda each: each.offset):
        if spans and each.offset <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], each.end))
        else:
            spans.append((each.offset, each.end))
    return set(spans)


def draw_labels(boxes: Boxes, ops: Mapping[int, str], framed: int | None) -> Iterator[str]:
    """In each box as much as fits where no other box is, and no edge of the frame around a task;
    `ops`: operators by node."""
    shared = shared_bytes(boxes)
    frame = () if framed is None else boxes.plot.edges[framed + 1 : framed + 3]
    for each in boxes.own:
        rect = boxes.rect(each)
        areas = _cuts(rect, frame)
        for other in shared:
            areas = [part for area in areas for part in _without(area, other)]
            areas = sorted(areas, key=lambda part: -part.width * part.height)[:_MOST_AREAS]
        labels = [(area, _lines(each, _source(each, ops), area)) for area in areas]
        if labels:
            area, lines = max(labels, key=lambda label: sum(map(len, label[1])))
            for number, words in enumerate(lines):
                style = "label strong" if number == 0 else "label"
                y = area.top + _PAD + 9 + _LINE * number
                yield text(area.left + _side(area), y, words, style)


def _cuts(rect: Rect, edges: Sequence[float]) -> list[Rect]:
    """An area in pieces, cut at the edges."""
    inside = [each for each in edges if rect.left < each < rect.right]
    ends = [rect.left, *inside, rect.right]
    return [Rect(left, rect.top, right, rect.bottom) for left, right in pairwise(ends)]


def _without(area: Rect, other: Rect) -> list[Rect]:
    """The largest parts of an area next to, above and below another one."""
    if area.overlap(other) is None:
        return [area]
    parts = (
        Rect(area.left, area.top, other.left, area.bottom),
        Rect(other.right, area.top, area.right, area.bottom),
        Rect(area.left, area.top, area.right, other.top),
        Rect(area.left, other.bottom, area.right, area.bottom),
    )
    return [part for part in parts if part.width > 0 and part.height > 0]


def _side(area: Rect) -> float:
    """Pixels to the left and right of text."""
    return _PAD if area.width >= 60 else 3


def _source(each: Resident, ops: Mapping[int, str]) -> str:
    """Where its values are from: the node, as in tables, or the name of an input."""
    if each.node is None:
        return "/".join(printable(each.name).split("/")[-2:])
    return f"{each.node} {operator_name(printable(ops[each.node]))}"


def _lines(each: Resident, source: str, area: Rect) -> list[str]:
    """What an area has room for: number and size, the source, rows, offset."""
    room = area.width - 2 * _side(area)
    most = int((area.height - 2 * _PAD + _LINE - 10) // _LINE)
    number, size = each.label, f"{each.size_bytes:,} B"
    both = f"{number} \u00b7 {size}"
    heads = [both] if width(both) * BOLD <= room else [number]
    if most < 1 or width(heads[0]) * BOLD > room:
        return []
    details = [] if heads == [both] else [size]
    details.append((cut_front if each.node is None else cut)(source, room))
    if each.kind is Kind.RING:
        details.append(f"{each.kept_rows:,} of {each.rows:,} rows")
    details.append(f"at {each.offset:,}")
    fitting = [words for words in details if words and width(words) <= room]
    return [*heads, *fitting][:most]
