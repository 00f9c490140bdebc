"""The graph, laid out: a node is below all that it reads from, next to those of its rank."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tinyml_rules.ir.text import operator_name
from tinyml_rules.report_page.numbers import name, shape
from tinyml_rules.reporting.memory_picture.words import cut
from tinyml_rules.reporting.parts import NodeFigures
from tinyml_rules.reporting.report import Report

WIDTH, HEIGHT = 236, 40
"""Pixels of a node's box."""
_ACROSS, _DOWN = 30, 22
_MARGIN = 26
_TEXT = 11.5


@dataclass(frozen=True)
class Box:
    """A node's box, its left upper corner in pixels."""

    label: str
    title: str
    below: str
    x: float
    y: float

    @property
    def middle(self) -> float:
        return self.x + WIDTH / 2


@dataclass(frozen=True)
class Frame:
    """Around nodes that run row by row together."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Drawing:
    """The graph in pixels; `edges` are SVG paths."""

    width: int
    height: int
    boxes: tuple[Box, ...]
    edges: tuple[str, ...]
    frames: tuple[Frame, ...]


def drawing(report: Report) -> Drawing:
    """Rank: the longest path from an input; place within a rank: near those that it reads from."""
    nodes = report.nodes
    ranks = _ranks(nodes)
    columns = _columns(nodes, ranks)
    boxes = {
        node.label: Box(
            label=node.label,
            title=cut(f"{node.label}  {_op(node)}", WIDTH - 20, _TEXT),
            below=cut(", ".join(map(shape, node.output_shapes)), WIDTH - 20, _TEXT),
            x=_MARGIN + columns[node.label] * (WIDTH + _ACROSS),
            y=_MARGIN + ranks[node.label] * (HEIGHT + _DOWN),
        )
        for node in nodes
    }
    right = max((box.x + WIDTH for box in boxes.values()), default=0)
    bottom = max((box.y + HEIGHT for box in boxes.values()), default=0)
    edges = tuple(
        _edge(boxes[source], boxes[node.label], ranks) for node in nodes for source in node.after
    )
    frames = tuple(_frames(report, nodes, boxes))
    return Drawing(
        round(right + 2 * _MARGIN), round(bottom + _MARGIN), tuple(boxes.values()), edges, frames
    )


def _op(node: NodeFigures) -> str:
    return operator_name(name(node.op))


def _ranks(nodes: Sequence[NodeFigures]) -> dict[str, int]:
    ranks: dict[str, int] = {}
    for node in nodes:  # a node comes after all that it reads from
        ranks[node.label] = max((ranks[each] + 1 for each in node.after), default=0)
    return ranks


def _columns(nodes: Sequence[NodeFigures], ranks: Mapping[str, int]) -> dict[str, int]:
    columns: dict[str, int] = {}
    by_rank: dict[int, list[NodeFigures]] = {}
    for node in nodes:
        by_rank.setdefault(ranks[node.label], []).append(node)
    for rank in sorted(by_rank):

        def wish(node: NodeFigures) -> float:
            parents = [columns[each] for each in node.after]
            return sum(parents) / len(parents) if parents else 0

        for column, node in enumerate(sorted(by_rank[rank], key=wish)):
            columns[node.label] = column
    return columns


def _edge(source: Box, sink: Box, ranks: Mapping[str, int]) -> str:
    """A line from box to box; around the boxes between, where there are some."""
    top, bottom = source.y + HEIGHT, sink.y
    if ranks[sink.label] - ranks[source.label] > 1:
        side = max(source.x, sink.x) + WIDTH
        out, into = source.y + HEIGHT / 2, sink.y + HEIGHT / 2
        return (
            f"M{source.x + WIDTH:g} {out:g}C{side + 34:g} {out:g} {side + 34:g} {into:g} "
            f"{sink.x + WIDTH:g} {into:g}"
        )
    bend = (top + bottom) / 2
    out, into = source.middle, sink.middle
    return f"M{out:g} {top:g}C{out:g} {bend:g} {into:g} {bend:g} {into:g} {bottom:g}"


def _frames(
    report: Report, nodes: Sequence[NodeFigures], boxes: Mapping[str, Box]
) -> Iterator[Frame]:
    for stream in report.streams:
        inside = [boxes[node.label] for node in nodes if node.node in set(stream)]
        if inside:
            x, y = min(box.x for box in inside) - 10, min(box.y for box in inside) - 10
            right = max(box.x for box in inside) + WIDTH + 10
            yield Frame(x, y, right - x, max(box.y for box in inside) + HEIGHT + 10 - y)
