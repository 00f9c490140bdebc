"""How far bounds of the time are above what was measured: benchmarks/worst_case.json, and what the
page makes of it."""

from __future__ import annotations

import json
import re
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tinyml_rules.reporting.rows import Rows, markdown

FIGURES = Path("benchmarks/worst_case.json")
HIGH = 1.2
"""A bound of a single layer may be so far above the most that was measured."""
_WHY = re.compile(r"(?:no bound: )?(?:(\S+) at 0x.*: )?(.*)")


@dataclass(frozen=True)
class BoundRow:
    """A case of an operator: the most cycles of a call that were `measured`, and the `bound`; None
    where there is none, for the reason `why`, in a function of the program."""

    target: str
    operator: str
    case: str
    is_real: bool
    measured: int
    bound: int | None
    why: str = ""

    @property
    def ratio(self) -> float | None:
        """The bound over the most that was measured."""
        return None if self.bound is None else self.bound / self.measured

    @property
    def key(self) -> tuple[str, str, str]:
        """Of the rows with this key there is one."""
        return self.target, self.operator, self.case


def rows_of_bounds(text: str) -> list[BoundRow]:
    """The rows in the text of the file."""
    return [BoundRow(**row) for row in json.loads(text)]


def text_of(rows: Iterable[BoundRow]) -> str:
    """The text of the file."""
    lines = ",\n".join(f"  {json.dumps(asdict(row))}" for row in rows)
    return f"[\n{lines}\n]\n"


def with_new(known: Iterable[BoundRow], new: Iterable[BoundRow]) -> list[BoundRow]:
    """The known rows, those among them that are new replaced."""
    found = {row.key: row for row in (*known, *new)}
    places = {target: at for at, target in enumerate(dict.fromkeys(key[0] for key in found))}
    return sorted(found.values(), key=lambda row: (places[row.target], row.key))


def reason_of(message: str) -> str:
    """What is said of a missing bound, without addresses, which change with each compiler."""
    match = _WHY.fullmatch(message)
    assert match is not None
    function, why = match[1], re.sub(r" at 0x[0-9a-f]+", "", match[2])
    return f"{why} (`{function.removeprefix('m_').partition('.')[0]}`)" if function else why


def bound_rows(rows: Sequence[BoundRow]) -> Rows:
    """The table: integers and real numbers on each target."""
    found: Rows = []
    for target in dict.fromkeys(row.target for row in rows):
        for word, is_real in (("integers", False), ("real numbers", True)):
            of_kind = [row for row in rows if (row.target, row.is_real) == (target, is_real)]
            ratios = sorted(row.ratio for row in of_kind if row.ratio is not None)
            if not ratios:
                continue
            largest = max(of_kind, key=lambda row: row.ratio or 0)
            found.append(
                {
                    "target": target,
                    "cases of": word,
                    "with a bound": f"{len(ratios)} of {len(of_kind)}",
                    "bound over measured, median": f"{statistics.median(ratios):.3f}",
                    f"at most {HIGH}": sum(ratio <= HIGH for ratio in ratios),
                    "largest": f"{ratios[-1]:.2f} ({largest.operator.upper()})",
                }
            )
    return found


def missing_rows(rows: Iterable[BoundRow]) -> Rows:
    """The table of cases without a bound, by operator and reason."""
    targets: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for row in rows:
        if row.bound is None:
            targets[row.operator.upper(), row.case, row.why].append(row.target)
    return [
        {"operator": operator, "case": case, "no bound on": ", ".join(names), "why": why}
        for (operator, case, why), names in sorted(targets.items())
    ]


def high_rows(rows: Iterable[BoundRow]) -> Rows:
    """The table of bounds of operators on integers that are above the bar, by target."""
    most: dict[str, dict[str, float]] = defaultdict(dict)
    for row in rows:
        if row.ratio is not None and row.ratio > HIGH and not row.is_real:
            of_operator = most[row.operator.upper()]
            of_operator[row.target] = max(row.ratio, of_operator.get(row.target, 0))
    names = sorted({target for of_operator in most.values() for target in of_operator})
    return [
        {"operator": operator, **{name: _ratio(found, name) for name in names}}
        for operator, found in sorted(most.items(), key=lambda each: -max(each[1].values()))
    ]


def bound_parts(text: str) -> dict[str, str]:
    """{name of a part of the page: its table}, from the text of the file."""
    rows = rows_of_bounds(text)
    return {
        "bounds": markdown(bound_rows(rows)),
        "high_bounds": markdown(high_rows(rows)),
        "missing_bounds": markdown(missing_rows(rows)),
    }


def _ratio(found: Mapping[str, float], target: str) -> str:
    return f"{found[target]:.2f}" if target in found else ""
