"""Each message of docs/reference/troubleshooting.md is one that the source has."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache

import pytest

from tests.conftest import PROJECT
from tests.docs.pages import read_page

PACKAGE = PROJECT / "tinyml_rules"
MESSAGES = [
    message
    for heading in re.findall(r"^### (`.+)$", read_page("reference/troubleshooting.md"), re.M)
    for message in re.findall(r"`([^`]+)`", heading)
]


@cache
def templates() -> tuple[str, ...]:
    """Every text of the package, with `…` for each value that is filled in."""
    return tuple(
        template
        for file in sorted(PACKAGE.rglob("*.py"))
        if file.name != "cases.py"
        for template in texts_of(ast.parse(file.read_text(encoding="utf-8")))
    )


def texts_of(tree: ast.AST) -> Iterator[str]:
    """The strings of one file, those of an f-string joined."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_there_are_messages() -> None:
    assert len(MESSAGES) > 30
    assert len(MESSAGES) == len(set(MESSAGES))


@pytest.mark.parametrize("message", MESSAGES)
def test_message_is_in_the_source(message: str) -> None:
    """A changed message changes the page."""
    assert [each for each in templates() if message in each], message
