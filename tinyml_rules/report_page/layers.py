"""The use of time: a row for each node, compared with the best known implementation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tinyml_rules.ir.text import operator_name
from tinyml_rules.report_page.numbers import name, percent, shape, two_places, whole
from tinyml_rules.reporting.firmware import NodeProfile, Profile
from tinyml_rules.reporting.parts import NodeFigures
from tinyml_rules.reporting.report import Report

BAR = 100
"""Units of the longest bar."""


@dataclass(frozen=True)
class Row:
    """A node.  `bar` and `tick` are in units of BAR, None where nothing was counted."""

    label: str
    op: str
    kernel: str
    shape: str
    cells: tuple[str, ...]
    bar: float | None
    tick: float | None
    in_stream: bool


@dataclass(frozen=True)
class Layers:
    """The table: the titles of its columns of figures, its rows, and the text below them."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    foot: tuple[tuple[str, tuple[str, ...]], ...]
    unit: str
    has_floors: bool

    @property
    def has_bars(self) -> bool:
        return bool(self.unit)


def layers(report: Report) -> Layers:
    """Every node that runs, with what is known of it."""
    profile = report.profile
    has_flash = report.flash is not None and bool(report.flash.nodes)  # a table of its own
    counted = {each.label: each for each in profile.nodes} if profile else {}
    most = max((each.count for each in counted.values()), default=0) or 1
    unit = profile.unit if profile else ""
    columns: tuple[str, ...] = ("MACs",) if has_flash else ("MACs", "constants")
    if unit:
        columns += (unit, "share", "per MAC", "per value", "\u00d7 floor")
    streamed = {node for stream in report.streams for node in stream}
    known = {each.label: each for each in report.nodes}
    rows = tuple(
        _row(
            label,
            known.get(label),
            has_flash=has_flash,
            found=counted.get(label),
            most=most,
            unit=unit,
            streamed=streamed,
        )
        for label in dict.fromkeys((*known, *counted))
    )
    has_floors = any(row.tick is not None for row in rows)
    return Layers(columns, rows, tuple(_foot(report, profile)), unit, has_floors)


def _row(
    label: str,
    node: NodeFigures | None,
    *,
    has_flash: bool,
    found: NodeProfile | None,
    most: int,
    unit: str,
    streamed: set[int],
) -> Row:
    """`node` is None for one of a graph that a node runs."""
    source = node or found
    assert source is not None, "a row is of one table or of the other"
    size = () if has_flash else (_cell(node.constant_bytes if node else None),)
    cells = (_cell(source.macs), *size, *(_counts(found) if unit else ()))
    return Row(
        label=label,
        op=operator_name(name(source.op)),
        kernel=source.kernel,
        shape=", ".join(map(shape, node.output_shapes)) if node else "",
        cells=cells,
        bar=round(BAR * found.count / most, 1) if found else None,
        tick=round(BAR * found.floor / most, 1) if found and found.floor else None,
        in_stream=node is not None and node.node in streamed,
    )


def _counts(found: NodeProfile | None) -> Sequence[str]:
    if found is None:
        return 5 * [""]
    ratios = (found.per_mac, found.per_value, found.times_floor)
    return (
        _cell(found.count),
        percent(found.share),
        *map(two_places, ratios),
    )


def _cell(value: int | None) -> str:
    return "" if value is None else whole(value)


def _foot(report: Report, profile: Profile | None) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What belongs to no node, and the sums."""
    size = () if report.flash else (_cell(report.constant_bytes),)
    if profile is None:
        yield "all nodes", (_cell(report.macs), *size)
        return
    between, total = profile.between_nodes, profile.total
    empty = len(size) * ("",)
    yield "between nodes", ("", *empty, _cell(between), percent(between / total), "", "", "")
    macs = sum(each.macs for each in profile.nodes)
    yield "total", (_cell(macs), *size, _cell(total), "", "", "", "")
