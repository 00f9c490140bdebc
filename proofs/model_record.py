"""What runs of EVA have found of whole models, with `docs=yes`."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

FILE = Path(__file__).parent / "models.csv"


@dataclass(frozen=True)
class ModelRecord:
    """Of a model: how many of its functions were taken by their contracts, the goals that prove all
    that was taken, and their CPU time; alarms, properties that are shown, and EVA's CPU time."""

    name: str
    taken: int
    goals: int
    proving: float
    alarms: int
    shown: int
    seconds: float


def records() -> Sequence[ModelRecord]:
    """In the file, by name."""
    with FILE.open(newline="", encoding="utf-8") as file:
        return [
            ModelRecord(
                row["name"],
                int(row["taken"]),
                int(row["goals"]),
                float(row["proving"]),
                int(row["alarms"]),
                int(row["shown"]),
                float(row["seconds"]),
            )
            for row in csv.DictReader(file)
        ]


def remember(record: ModelRecord) -> None:
    """Put one into the file, in the place of what was there of that name."""
    every = {each.name: each for each in (*records(), record)}
    with FILE.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(each.name for each in fields(ModelRecord))
        writer.writerows(astuple(every[name]) for name in sorted(every))


def lines() -> Iterator[str]:
    """The table of the page."""
    yield "| model | taken functions | goals of what is taken | CPU s | alarms | CPU s of EVA |"
    yield "| --- | --: | --: | --: | --: | --: |"
    for each in records():
        proved = (each.taken, each.goals, f"{each.proving:.0f}")
        cells = (f"`{each.name}`", *proved, each.alarms, f"{each.seconds:.0f}")
        yield f"| {' | '.join(map(str, cells))} |"
