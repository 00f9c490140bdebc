"""ARCHITECTURE.md and CONTRIBUTING.md stay short; the first shows the records as they are today."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from generate.records import records_text
from tests.docs.pages import ARCHITECTURE, CONTRIBUTING, OF_THE_PROJECT

MOST_LINES = {ARCHITECTURE: 200, CONTRIBUTING: 130}
WIDTH = 100
"""Characters of a line of prose; rows of tables and code are as long as they have to be."""
RECORDS = ("Graph", "Program", "Schedule", "MemoryPlan", "Interface", "Compiled")
BLOCK = re.compile(r"^```.*?^```", re.M | re.S)


@dataclass(frozen=True)
class Leaf:
    number: int
    word: str = "usual"
    values: tuple[int, ...] = ()


@dataclass(frozen=True)
class Tree:
    name: str
    leaves: tuple[Leaf, ...]
    last: Leaf
    sizes: dict[str, int] = field(default_factory=dict)


@pytest.mark.parametrize("page", MOST_LINES, ids=lambda page: page.name)
def test_length(page: Path) -> None:
    lines = page.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= MOST_LINES[page]


@pytest.mark.parametrize("page", OF_THE_PROJECT, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_width(page: Path) -> None:
    """A line can be read and compared as a whole."""
    prose = BLOCK.sub("", page.read_text(encoding="utf-8"))
    lines = [line for line in prose.splitlines() if not line.startswith("|")]
    assert [line for line in lines if len(line) > WIDTH] == []


def test_six_records_are_shown() -> None:
    """Each from the start of a line, in the order of the compiler; `test_generated.py` compares
    the text with today's."""
    shown = ARCHITECTURE.read_text(encoding="utf-8").partition("<!-- records -->")[2]
    names = re.findall(r"^(\w+)\(", shown.partition("<!-- /records -->")[0], re.M)
    assert tuple(names) == RECORDS


def test_a_record_is_printed() -> None:
    """Defaults are left out, of several records the last is shown, and each kind once."""
    tree = Tree("oak", (Leaf(1), Leaf(2, values=(3,))), Leaf(4))
    assert records_text((tree,)) == (
        "Tree(name='oak', leaves=(1 more, Leaf(number=2, values=(3,))), last=Leaf(...))"
    )


def test_a_long_record_is_wrapped() -> None:
    tree = Tree("oak", (), Leaf(1, word="w" * 30), sizes={f"size_{n}": n for n in range(6)})
    text = records_text((tree,))
    assert text.splitlines() == [
        "Tree(",
        f"    name='oak', leaves=(), last=Leaf(number=1, word='{'w' * 30}'),",
        "    sizes={'size_0': 0, 'size_1': 1, 'size_2': 2, 'size_3': 3, 'size_4': 4, 'size_5': 5})",
    ]
