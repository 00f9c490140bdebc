"""The figures of the page about the paper: their file, and the tables next to the paper's."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.matrix import Result, Row
from benchmarks.paper.measure import Answers, SineError
from benchmarks.paper.published import (
    ENERGY,
    ENGINES,
    ERROR,
    MEMORY,
    MILLISECONDS,
    MODELS,
    PARTS,
    SCORES,
    SINE,
    Memory,
    Part,
)
from benchmarks.paper.scores import macro, score_of
from benchmarks.results import row_data, row_of
from tinyml_rules.reporting.rows import Rows, plain
from tinyml_rules.reporting.sizes import three_digits
from tinyml_rules.target.target import load_target

SINE_OF_PAPER = "sine_of_paper"
"""The sine model of the paper, in rows of pairs; ours is `sine`."""
_CLASSES_OF_PAPER = {"speech": None, "person_detect": 1}
"""The class that the paper's figures are of; None: the mean over all."""


@dataclass(frozen=True)
class Figures:
    """What no other file has: accuracy, and the paper's sine on the five parts."""

    sines: Sequence[SineError]
    answers: Sequence[Answers]
    rows: Sequence[Row]


def figures_json(figures: Figures) -> str:
    """For models/paper.json, a line each."""
    parts = {
        "sines": [asdict(each) for each in figures.sines],
        "answers": [asdict(each) for each in figures.answers],
        "rows": [row_data(each) for each in figures.rows],
    }
    sections = []
    for name, entries in parts.items():
        lines = ",\n".join(f"    {json.dumps(each, ensure_ascii=False)}" for each in entries)
        sections.append(f'  "{name}": [\n{lines}\n  ]')
    return "{\n" + ",\n".join(sections) + "\n}\n"


def figures_of(text: str) -> Figures:
    """The opposite."""
    data = json.loads(text)
    return Figures(
        [SineError(**each) for each in data["sines"]],
        [_answers(each) for each in data["answers"]],
        [row_of(each) for each in data["rows"]],
    )


def _answers(data: dict[str, Any]) -> Answers:
    counts = tuple(map(tuple, data["counts"]))
    return Answers(**{**data, "labels": tuple(data["labels"]), "counts": counts})


def sine_rows(figures: Figures) -> Rows:
    """Errors: the paper's, then ours."""
    rows: Rows = [
        {
            "whose": f"the paper, {engine}",
            "model": "sine of the paper",
            "noise": "as the paper has it",
            "MSE": f"{error:.4f}",
            "RMSE": f"{root:.4f}",
            "of the noise alone": "",
            "equal to TFLM": "",
        }
        for engine, (error, root) in ERROR.items()
    ]
    return rows + [
        {
            "whose": "here",
            "model": "sine of the paper" if each.model == SINE_OF_PAPER else "sine of this project",
            "noise": each.noise,
            "MSE": f"{each.error:.4f}",
            "RMSE": f"{each.error**0.5:.4f}",
            "of the noise alone": f"{each.noise_error:.4f}",
            "equal to TFLM": f"{each.equal:,} of {each.samples:,}",
        }
        for each in figures.sines
    ]


def score_rows(figures: Figures) -> Rows:
    """Precision, recall and F1: the paper's, then ours, of the same classes."""
    rows: Rows = [
        {
            "whose": f"the paper, {engine}",
            "model": model,
            "precision": f"{precision:.1f} %",
            "recall": f"{recall:.1f} %",
            "F1": f"{f1:.1f} %",
            "equal to TFLM": "",
        }
        for (model, engine), (precision, recall, f1) in SCORES.items()
    ]
    for each in figures.answers:
        scores = [score_of(each.counts, number) for number in range(len(each.labels))]
        number = _CLASSES_OF_PAPER[each.model]
        score = macro(scores) if number is None else scores[number]
        rows.append(
            {
                "whose": "here, other data",
                "model": each.model,
                "precision": f"{100 * score.precision:.1f} %",
                "recall": f"{100 * score.recall:.1f} %",
                "F1": f"{100 * score.f1:.1f} %",
                "equal to TFLM": f"{each.equal:,} of {each.samples:,}",
            }
        )
    return rows


def class_rows(answers: Answers) -> Rows:
    """What was answered to each class, and its scores; the last row is the mean."""
    scores = [score_of(answers.counts, number) for number in range(len(answers.labels))]
    counted = [dict(zip(answers.labels, map(str, row), strict=True)) for row in answers.counts] + [
        dict.fromkeys(answers.labels, "")
    ]
    return [
        {
            "given, answered": name,
            **counts,
            "precision": f"{score.precision:.3f}",
            "recall": f"{score.recall:.3f}",
            "F1": f"{score.f1:.3f}",
        }
        for name, counts, score in zip(
            (*answers.labels, "mean"), counted, (*scores, macro(scores)), strict=True
        )
    ]


def memory_rows(rows: Sequence[Row]) -> Rows:
    """Flash and RAM of a minimal firmware on the five parts."""
    return [
        {
            "model": model,
            "part": part.name,
            **_memory_cells(model, part, "flash"),
            "flash, here": _bytes(row.flash_bytes),
            **_memory_cells(model, part, "RAM"),
            "RAM, here": _bytes(row.ram_bytes),
            "settings": _settings(row),
        }
        for model, part, row in _pairs(rows)
    ]


def _memory_cells(model: str, part: Part, kind: str) -> dict[str, str]:
    cells = {}
    for engine in ENGINES:
        found = MEMORY.get((model, part.name, engine), Memory())
        value = found.flash_kb if kind == "flash" else found.ram_kb
        cells[f"{kind}, {engine}"] = "" if value is None else f"{round(value * 1000):,} B"
    return cells


def time_rows(rows: Sequence[Row]) -> Rows:
    """Milliseconds of an inference, and energy where a data sheet's current is known."""
    found: Rows = []
    for model, part, row in _pairs(rows):
        keys = [(model, part.name, engine) for engine in ENGINES]
        times = [MILLISECONDS.get(key) for key in keys]
        about = "" if row.cycles is not None else "~"
        time = "" if row.milliseconds is None else f"{about}{three_digits(row.milliseconds)} ms"
        found.append(
            {
                "model": model,
                "part": part.name,
                **{
                    f"time, {engine}": "" if value is None else f"{three_digits(value)} ms"
                    for engine, value in zip(ENGINES, times, strict=True)
                },
                "time, here": time or _settings(row),
                **{
                    f"energy, {engine}": _energy_of_paper(key)
                    for engine, key in zip(ENGINES, keys, strict=True)
                },
                "energy, here": _energy(part, row),
                "settings": _settings(row) if time else "",
            }
        )
    return found


def power_rows() -> Rows:
    """The power that the paper's energy means by its own times, in watts."""
    return [
        {
            "model": model,
            "part": part,
            "engine": engine,
            "energy as printed": text,
            "time": f"{three_digits(milliseconds)} ms",
            "energy / time": f"{three_digits(joules / (milliseconds / 1000))} W",
            "if mWh is µWh": f"{three_digits(_plausible(text, joules) / (milliseconds / 1000))} W",
        }
        for (model, part, engine), (text, joules) in ENERGY.items()
        if engine == ENGINES[1]
        for milliseconds in [MILLISECONDS[model, part, engine]]
    ]


def _plausible(printed: str, joules: float) -> float:
    """With a printed mWh read as a microwatt hour."""
    return joules / 1000 if printed.endswith("mWh") else joules


def _pairs(rows: Sequence[Row]) -> list[tuple[str, Part, Row]]:
    """Each model on each part, with every row of ours: the paper's sine for its sine."""
    names = {SINE: SINE_OF_PAPER}
    return [
        (model, part, row)
        for model in MODELS
        for part in PARTS
        for row in rows
        if (row.model, row.target) == (names.get(model, model), part.target)
    ]


def _energy_of_paper(key: tuple[str, str, str]) -> str:
    """In microjoules; a printed mWh is read as a microwatt hour, for which (µWh) stands."""
    if key not in ENERGY:
        return ""
    printed, joules = ENERGY[key]
    note = " (µWh)" if printed.endswith("mWh") else ""
    return f"{three_digits(_plausible(printed, joules) * 1e6)} µJ{note}"


def _energy(part: Part, row: Row) -> str:
    power = load_target(part.power).power if part.power else None
    if power is None or row.milliseconds is None:
        return ""
    return f"~{three_digits(power.microjoules(row.milliseconds))} µJ"


def _bytes(size: int | None) -> str:
    return "" if size is None else f"{size:,} B"


def _settings(row: Row) -> str:
    return row.settings if row.result is Result.EXACT else f"{row.result.value}: {row.detail}"


def tables_text(figures: Figures, rows: Sequence[Row]) -> str:
    """All of it as columns of equal width."""
    tables = {
        "memory of a minimal firmware": memory_rows(rows),
        "time and energy of an inference": time_rows(rows),
        "the sine, mean squared error": sine_rows(figures),
        "the classifiers": score_rows(figures),
        **{each.model: class_rows(each) for each in figures.answers},
    }
    return "\n".join(f"{title}\n{plain(table)}\n" for title, table in tables.items())
