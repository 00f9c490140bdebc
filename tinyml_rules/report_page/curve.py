"""Plans with less RAM and more products: RAM from left to right, products from the bottom up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tinyml_rules.reporting.report import Report

WIDTH, HEIGHT = 640, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 30, 610, 40, 210


@dataclass(frozen=True)
class Dot:
    """A plan at its place in the picture, with its RAM in bytes and its products; `more`: what
    part of the fewest it adds to them."""

    x: float
    y: float
    ram_bytes: int
    macs: int
    more: float


@dataclass(frozen=True)
class Drawing:
    """Dots from the plan with the fewest products to the one that was taken; `path` is the line
    through them, as SVG has it."""

    dots: tuple[Dot, ...]
    path: str


def drawing(report: Report) -> Drawing | None:
    """None where only one plan was made."""
    points = report.curve
    if len(points) < 2:
        return None
    across = _scale([each.ram_bytes for each in points], _LEFT, _RIGHT)
    down = _scale([each.macs for each in points], _BOTTOM, _TOP)
    fewest = max(points[0].macs, 1)
    dots = tuple(
        Dot(x, y, point.ram_bytes, point.macs, (point.macs - points[0].macs) / fewest)
        for x, y, point in zip(across, down, points, strict=True)
    )
    return Drawing(dots, "M" + "L".join(f"{each.x:g} {each.y:g}" for each in dots))


def _scale(values: Sequence[int], low: int, high: int) -> list[float]:
    """Places of the values from `low`, of the least, to `high`, of the greatest."""
    least, span = min(values), max(max(values) - min(values), 1)
    return [round(low + (high - low) * (value - least) / span, 1) for value in values]
