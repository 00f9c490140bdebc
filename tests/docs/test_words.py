"""Pages, docstrings and comments use the words that a native reader expects; mannerisms do not come
back."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.docs.pages import OF_THE_PROJECT, PAGES, README

GENERATED = re.compile(r"<!-- (\w+) -->.*?<!-- /\1 -->", re.S)
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.M | re.S)
AVOIDED = (
    *(r"beside", r"behind", r"l(?:ie|ies|ying)", r"stands?|standing"),
    *(r"whoever|whatever", r"(?:is|are) told", r"of whom|for who\b"),
)
"""Say next to, compared with, after, is, reported."""
WRITTEN_BY_OTHERS = {"troubleshooting.md", "command_line.md"}
"""Pages that repeat the program's own words."""
PACKAGE = PROJECT / "tinyml_rules"
NOT_YET = (
    *("ops/_weighted/", "ops/batch_matmul/", "ops/conv_2d/", "ops/depthwise_conv_2d/"),
    *("ops/fully_connected/", "ops/transpose_conv/"),
)
"""Where docstrings and comments still have such words; a folder that has none any more is taken
out."""


def prose_of(file: Path) -> Iterator[str]:
    """The docstrings and comments of a module, the text below a constant included."""
    source = file.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield str(node.value.value)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


@cache
def texts() -> tuple[tuple[str, str], ...]:
    """(where, prose) of pages, and of the package's modules."""
    found = [
        (page.relative_to(PROJECT).as_posix(), GENERATED.sub("", page.read_text(encoding="utf-8")))
        for page in (README, *PAGES[1:], *OF_THE_PROJECT)
        if page.name not in WRITTEN_BY_OTHERS
    ]
    for file in sorted(PACKAGE.rglob("*.py")):
        name = file.relative_to(PACKAGE).as_posix()
        if not name.startswith(NOT_YET):
            found += [(name, text) for text in prose_of(file)]
    return tuple((where, CODE.sub("", text)) for where, text in found)


@pytest.mark.parametrize("word", AVOIDED)
def test_word(word: str) -> None:
    """In prose: not in code, and not in what is generated."""
    spaced = word.replace(" ", r"\s+")
    found = [
        f"{where}: {match[0]}"
        for where, text in texts()
        for match in re.finditer(rf"[^\n]*\b(?:{spaced})\b[^\n]*", text, re.I)
    ]
    assert "\n".join(found) == ""


def test_prose_is_found(tmp_path: Path) -> None:
    """Docstrings, the text below a constant, and comments; no other strings."""
    file = tmp_path / "module.py"
    file.write_text(
        '"""Of all."""\nX = "beside"\n"""Of X."""\ndef f():\n    """Of f."""\n    # why\n'
    )
    assert list(prose_of(file)) == ["Of all.", "Of X.", "Of f.", "# why"]
