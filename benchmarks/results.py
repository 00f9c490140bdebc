"""The table of all models on all targets as text: for a terminal, for docs/, as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from benchmarks.matrix import Result, Row
from tinyml_rules.reporting.rows import Rows, markdown, plain

_MILLION = 1_000_000


def row_data(row: Row) -> dict[str, Any]:
    """A row as JSON has it."""
    return asdict(row)


def row_of(data: Mapping[str, Any]) -> Row:
    """The opposite of `row_data`."""
    return Row(**{**data, "result": Result(data["result"])})


def json_text(rows: Sequence[Row]) -> str:
    """The rows for other programs, a line each."""
    lines = ",\n".join(f"  {json.dumps(row_data(row))}" for row in rows)
    return f"[\n{lines}\n]\n"


def rows_of(text: str) -> list[Row]:
    """The rows in a text of `json_text`."""
    return [row_of(data) for data in json.loads(text)]


def plain_text(rows: Sequence[Row]) -> str:
    """Columns of equal width."""
    return plain(_cells(rows)) + "\n"


def markdown_text(rows: Sequence[Row]) -> str:
    """A table of GitHub's Markdown."""
    return markdown(_cells(rows)) + "\n"


def headline_rows(rows: Sequence[Row], wanted: Sequence[tuple[str, str]]) -> Rows:
    """The rows of the pairs (model, target) in `wanted`, with what a reader asks for first."""
    return [
        {
            "model": row.model,
            "target": row.target,
            "settings": row.settings,
            "flash (B)": row.flash_bytes,
            "RAM (B)": row.ram_bytes,
            "one inference": _time(row),
        }
        for pair in wanted
        for row in rows
        if (row.model, row.target) == pair
    ]


def progress(row: Row) -> str:
    """One line for one pair."""
    settings = f" ({row.settings})" if row.settings else ""
    return f"{row.model} on {row.target}{settings}: {_outcome(row)}"


def _outcome(row: Row) -> str:
    if row.result is not Result.EXACT:
        return f"{row.result.value}: {row.detail}"
    external = [] if row.external_bytes is None else [f"{row.external_bytes:,} B beside it"]
    words = [f"{row.flash_bytes:,} B flash", *external, f"{row.ram_bytes:,} B RAM"]
    return ", ".join([*words, *_speed(row)])


def _speed(row: Row) -> list[str]:
    if row.cycles is None and row.instructions is None:
        return []
    unit = "cycles" if row.instructions is None else "instructions"
    count = row.cycles or row.instructions or 0
    estimate = [] if row.estimated_cycles is None else [f"~{_number(row.estimated_cycles)} cycles"]
    return [f"{_number(count)} {unit}", *estimate, *filter(None, [_time(row), _energy(row)])]


def _number(count: int) -> str:
    return f"{_short(count / _MILLION)} M" if count >= _MILLION else f"{count:,}"


def _cells(rows: Sequence[Row]) -> Rows:
    return [
        {
            "target": row.target,
            "model": row.model,
            "settings": row.settings,
            "flash (B)": row.flash_bytes,
            "weights file (B)": row.external_bytes,
            "RAM (B)": row.ram_bytes,
            "stack (B)": row.invoke_stack_bytes,
            "measured (B)": row.invoke_stack_measured_bytes,
            "cycles": row.cycles,
            "instructions": row.instructions,
            "estimated cycles": _estimate(row),
            "time": _time(row),
            "energy": _energy(row),
            "result": _result(row),
        }
        for row in rows
    ]


def _result(row: Row) -> str:
    if row.result is Result.EXACT:
        return f"{row.samples} exact"
    return f"{row.result.value}: {row.detail}"


def _estimate(row: Row) -> str:
    return "" if row.estimated_cycles is None else f"~{row.estimated_cycles:,}"


def _time(row: Row) -> str:
    mark = "" if row.instructions is None else "~"
    return "" if row.milliseconds is None else f"{mark}{_short(row.milliseconds)} ms"


def _energy(row: Row) -> str:
    return "" if row.microjoules is None else f"~{_short(row.microjoules)} µJ"


def _short(value: float) -> str:
    """Three digits that say something, never an exponent."""
    if value <= 0:
        return "0"
    return f"{value:,.{max(0, 2 - math.floor(math.log10(value)))}f}"
