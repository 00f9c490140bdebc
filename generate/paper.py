"""The tables of docs/reference/paper.md."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.matrix import Row
from benchmarks.paper.results import (
    class_rows,
    figures_of,
    memory_rows,
    power_rows,
    score_rows,
    sine_rows,
    time_rows,
)
from tinyml_rules.reporting.rows import markdown


def paper_parts(text: str, rows: Sequence[Row]) -> dict[str, str]:
    """{name of a part: its table}, from models/paper.json and the rows of all pairs."""
    figures = figures_of(text)
    every = [*figures.rows, *rows]
    return {
        "paper_memory": markdown(memory_rows(every)),
        "paper_time": markdown(time_rows(every)),
        "paper_power": markdown(power_rows()),
        "paper_sine": markdown(sine_rows(figures)),
        "paper_scores": markdown(score_rows(figures)),
        **{f"paper_{each.model}": markdown(class_rows(each)) for each in figures.answers},
    }
