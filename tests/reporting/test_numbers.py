"""Numbers of bytes are written one way in everything that is printed: `2,144 B`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import PROJECT

FOLDERS = (
    *("commands", "compare", "firmware", "fitting", "frontends", "model_file", "overview"),
    *("passes", "plan", "quantizer", "reporting", "request", "runners", "target", "tune"),
)
FILES = sorted(
    file for folder in FOLDERS for file in (PROJECT / "tinyml_rules" / folder).rglob("*.py")
)
UNITS = (" B", " bytes", " kB", " multiply-accumulates", " cycles", " instructions")
SMALL = {"most_bytes"}
"""Values that are below 1,000 wherever they are printed."""


def unseparated(tree: ast.AST) -> Iterator[int]:
    """The lines on which a value without separators comes before a unit in an f-string; a text
    alone has them, or is one already."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.JoinedStr):
            continue
        for value, after in zip(node.values, node.values[1:], strict=False):
            if (
                isinstance(value, ast.FormattedValue)
                and isinstance(after, ast.Constant)
                and str(after.value).startswith(UNITS)
                and value.format_spec is None
                and is_number(value.value)
            ):
                yield node.lineno


def is_number(value: ast.expr) -> bool:
    """By its name, or what it calls: whether it is a number rather than text."""
    if isinstance(value, ast.BinOp):
        return is_number(value.left) or is_number(value.right)
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id in {"len", "sum", "max", "min"}
    name = getattr(value, "attr", getattr(value, "id", ""))
    words = ("bytes", "size", "macs", "cycles", "instructions")
    return name not in SMALL and name.endswith(words)


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ('f"{x.arena_bytes} B of it"', True),
        ('f"{len(data)} bytes"', True),
        ('f"{a_bytes - b_bytes} bytes"', True),
        ('f"{x.arena_bytes:,} B"', False),
        ('f"{amount(x.arena_bytes)} flash"', False),
        ('f"{name} bytes"', False),
    ],
)
def test_what_is_found(text: str, is_found: bool) -> None:
    assert bool([*unseparated(ast.parse(text))]) == is_found


def test_numbers_of_bytes() -> None:
    found = [
        f"{file.relative_to(PROJECT)}:{line}"
        for file in FILES
        for line in unseparated(ast.parse(file.read_text(encoding="utf-8")))
    ]
    assert found == []


def test_files() -> None:
    """The scan reads what it is to read."""
    assert Path(PROJECT / "tinyml_rules" / "reporting" / "tables.py") in FILES
