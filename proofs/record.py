"""Which kernels and pieces have been proved, the goals that are known to be open, each with its
reason, and what a run adds to them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

from proofs.kernels import Proved

FILE = Path(__file__).parent / "open.toml"
PROVED = Path(__file__).parent / "proved.txt"
"""The names of kernels and pieces that a run proves where none is named: those of the table."""


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


def proved_before() -> frozenset[str]:
    """The names in PROVED."""
    return frozenset(PROVED.read_text(encoding="utf-8").split())


def remember(proved: Iterable[Proved]) -> None:
    """Write them, without lemmas, which belong to a kernel."""
    names = sorted(each.name for each in proved if each.form != "lemma")
    PROVED.write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
