"""The cost of the best known implementation of a kind of work on a core, interpolated between
points.

Standard library only, like `target.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from tinyml_rules.errors import TargetError
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.work_kind import WorkKind
from tinyml_rules.target.require import require

Points = tuple[tuple[int, float], ...]
"""(products per output value, rising; cost of that value)."""


@dataclass(frozen=True)
class Floors:
    """The floors of one core, in the unit of its runner: cycles or instructions; `source` names
    their origin."""

    source: str = ""
    points: Mapping[WorkKind, Points] = field(default_factory=dict)

    def count(self, kind: WorkKind, *, macs: int, values: int) -> float | None:
        """Cycles of a step with so many products and output values; None if nothing is known.

        Between two points, and beyond the outermost, the cycles per output value are on the line
        through the nearest two; with a single point they are in proportion to the products.
        """
        points = self.points.get(kind)
        if points is None or not values:
            return None
        if not kind.has_products:
            return points[0][1] * values
        return _on_line(points, macs / values) * values if macs else None


def _on_line(points: Points, place: float) -> float:
    if len(points) == 1:
        ((first, count),) = points
        return count * place / first
    pairs = list(pairwise(points))
    (first, low), (last, high) = next((each for each in pairs if place <= each[1][0]), pairs[-1])
    return low + (high - low) * (place - first) / (last - first)


def read_floors(
    table: Mapping[str, Any] | None, features: frozenset[Feature], *, where: str
) -> Floors | None:
    """The record of the table `floors`, whose keys have been checked: that of the first core whose
    feature the target has; None if there is none.  Raises TargetError for a core without a source,
    and for an invalid number of products."""
    for core, found in (table or {}).items():
        require(found, ("source",), where=where, prefix=f"floors.{core}.")
        points = {
            kind: _points(found[kind.value], where=where, key=f"{core}.{kind.value}")
            for kind in WorkKind
            if kind.value in found
        }
        if core in features:
            return Floors(found["source"], points)
    return None


def _points(table: Mapping[str, float] | float, *, where: str, key: str) -> Points:
    if not isinstance(table, Mapping):
        return ((1, float(table)),)
    wrong = [word for word in table if not word.isdecimal() or not int(word)]
    if wrong or not table:
        what = f"'floors.{key}' has {wrong[0]!r}" if wrong else f"'floors.{key}' is empty"
        raise TargetError.at(where, f"{what}, expected products for a value, such as 64 = 0.94")
    return tuple(sorted((int(word), int(word) * float(count)) for word, count in table.items()))
