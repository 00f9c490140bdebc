"""The page about notebooks, cell by cell, and the notebook that is made of it."""

from __future__ import annotations

import ast
import json
import re
import shutil
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from generate.notebook import NOTEBOOK, PAGE
from tests.conftest import PROJECT
from tests.docs.steps import Followed, hold, with_figures
from tests.support.hand_written import target_or_skip

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```\n", re.M | re.S)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, next to a copy of the example that the cells read."""
    target_or_skip("atmega328")
    shutil.copytree(PROJECT / "examples" / "digits", tmp_path / "digits")
    (tmp_path / "notebook").mkdir()
    monkeypatch.chdir(tmp_path / "notebook")
    return tmp_path


def run_cell(code: str, names: dict[str, Any]) -> tuple[str, object]:
    """What a cell prints, and the value of its last line where that is an expression."""
    body = ast.parse(code).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    with redirect_stdout(StringIO()) as printed:
        exec(compile(ast.Module(body, []), "cell", "exec"), names)  # noqa: S102 - our page's
        value = None
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307
    return printed.getvalue(), value


@pytest.mark.usefixtures("folder")
def test_page(request: pytest.FixtureRequest) -> None:
    """Every block below a cell is what it shows; results are also shown as HTML."""
    path = PROJECT / PAGE
    page, shown, changes, rich = path.read_text("utf-8"), "", [], 0
    names: dict[str, Any] = {}
    for block in BLOCK.finditer(page):
        if block[1] == "python":
            printed, value = run_cell(block[2], names)
            shown = printed or f"{value!r}\n"
            rich += "tinyml-rules" in value._repr_html_() if hasattr(value, "_repr_html_") else 0
        else:
            changes.append((block.span(2), with_figures(block[2], shown)))
    assert rich == 5
    followed = Followed(page)
    for (start, end), text in reversed(changes):
        followed.page = followed.page[:start] + text + followed.page[end:]
    hold(path, page, followed, request)


def test_notebook() -> None:
    """The same cells, as nbformat 4.5 has them."""
    found = json.loads((PROJECT / NOTEBOOK).read_text(encoding="utf-8"))
    code = ["".join(each["source"]) for each in found["cells"] if each["cell_type"] == "code"]
    page = (PROJECT / PAGE).read_text(encoding="utf-8")
    assert code == [text.rstrip() for kind, text in BLOCK.findall(page) if kind == "python"]
    assert len({each["id"] for each in found["cells"]}) == len(found["cells"])
