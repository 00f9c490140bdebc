"""What has been proved of kernels and pieces, with figures, and the goals that are known to be
open, each with its reason."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from proofs.kernels import Proved

FILE = Path(__file__).parent / "open.toml"
PROVED = Path(__file__).parent / "proved.csv"
"""What runs with `docs=yes` have found.  Its kernels and pieces are those that a run proves where
none is named."""


@dataclass(frozen=True)
class Record:
    """Of a kernel, a piece or a lemma: the goals, the CPU time of the run that proved them, and the
    kernels in whose rows the time of functions is that it has in the same words."""

    name: str
    form: str
    goals: int
    proved: int
    seconds: float
    same_as: tuple[str, ...] = ()

    @classmethod
    def of(cls, one: Proved) -> Record:
        """What a run has found."""
        proof = one.proof
        seconds = round(float(proof.seconds), 1)
        return cls(one.name, one.form, len(proof.goals), proof.proved, seconds, one.same_as)


def known() -> Mapping[str, Mapping[str, str]]:
    """{kernel: {goal: reason}}."""
    found: Mapping[str, Mapping[str, str]] = tomllib.loads(FILE.read_text())
    return found


def unknown(proved: Iterable[Proved]) -> list[str]:
    """`kernel: goal` of each goal that is open and not recorded."""
    recorded = known()
    return [
        f"{each.name}: {goal}"
        for each in proved
        for goal in each.proof.opened
        if goal not in recorded.get(each.name, {})
    ]


def records() -> Sequence[Record]:
    """In the file, by form and name."""
    with PROVED.open(newline="", encoding="utf-8") as file:
        return [
            Record(name, form, int(goals), int(proved), float(seconds), tuple(same_as.split()))
            for name, form, goals, proved, seconds, same_as in list(csv.reader(file))[1:]
        ]


def proved_before() -> frozenset[str]:
    """The names of kernels and pieces in it."""
    return frozenset(each.name for each in records() if each.form != "lemma")


def proved_whole() -> frozenset[str]:
    """Those of them without an open goal, on whose contracts others may rely."""
    return frozenset(each.name for each in records() if each.goals == each.proved)


def remember(proved: Iterable[Proved], *, is_complete: bool) -> None:
    """Put what a run has found into the file: in the place of all, if it is complete, or of what
    was there of the same name."""
    before = () if is_complete else records()
    found = {(each.form, each.name): each for each in (*before, *map(Record.of, proved))}
    with PROVED.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(each.name for each in fields(Record))
        for key in sorted(found):
            *cells, same_as = astuple(found[key])
            writer.writerow((*cells, " ".join(same_as)))
