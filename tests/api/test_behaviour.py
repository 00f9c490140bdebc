"""What the functions leave alone, what they raise, and how their results look."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import tinyml_rules as tr
from tests.conftest import PROJECT
from tests.frontends.builds import SINE
from tests.report_page.pages import HOSTILE, hostile_report
from tinyml_rules.api.html import model_html, page_html, table_html
from tinyml_rules.reporting.record import from_json

MODEL = SINE / "sine.tflite"
PACKAGE = PROJECT / "tinyml_rules"


def test_names() -> None:
    """Each function of `api/` is exported; no room or module can take the place of a name."""
    rooms = {file.stem for file in PACKAGE.iterdir()}
    assert rooms & {*tr.__all__} == set()
    modules = {file.stem: file.read_text("utf-8") for file in (PACKAGE / "api").glob("*.py")}
    functions = {name for name, text in modules.items() if f"\ndef {name}(" in text} - {"spelled"}
    assert functions == {"compile", "fit", "inspect", "quantize", "report", "run", "size"}
    assert functions | {"__version__"} <= {*tr.__all__} <= {*dir(tr)}
    assert all(getattr(tr, name).__doc__ for name in tr.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'compiel'"):
        _ = tr.compiel  # type: ignore[attr-defined]


def test_import_is_cheap() -> None:
    """In a process of its own: numpy comes with the first use."""
    script = (
        "import sys, tinyml_rules as tr; print(*sys.modules); from tinyml_rules import load_target;"
        "import tinyml_rules.compare, tinyml_rules.compiler; print(tr.compile.__name__)"
    )
    variables = {**os.environ, "PYTHONPATH": str(PROJECT)}
    done = subprocess.run(
        [sys.executable, "-c", script], env=variables, capture_output=True, text=True, check=True
    )
    modules, name = done.stdout.splitlines()
    assert [each for each in modules.split() if each.startswith(("tinyml_rules", "numpy"))] == [
        "tinyml_rules"
    ]
    assert name == "compile"


def test_nothing_else_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """No word on either stream, no file, the same folder and environment; progress by a call."""
    monkeypatch.chdir(tmp_path)
    before, lines = dict(os.environ), list[str]()
    tr.compile(MODEL, "atmega328", progress=lines.append)
    tr.inspect(MODEL, "atmega328", kernels=True)
    tr.fit(MODEL, "atmega")
    tr.run(MODEL)
    assert capfd.readouterr() == ("", "")
    assert Path.cwd() == tmp_path
    assert list(tmp_path.iterdir()) == []
    assert dict(os.environ) == before
    assert lines[0] == "sine: reading 1,984 bytes"


def test_two_at_once() -> None:
    """Each thread gets what it gets alone."""
    parts = ["atmega328", "nrf52840", "host"]
    alone = [tr.compile(MODEL, part).files for part in parts]
    with ThreadPoolExecutor(3) as threads:
        together = list(threads.map(lambda part: tr.compile(MODEL, part).files, parts))
    assert together == alone


def test_errors(tmp_path: Path) -> None:
    """One class for each cause, with place, words and hint; options as Python writes them."""
    with pytest.raises(tr.UsageError) as found:
        tr.compile(MODEL, "unno")
    (problem,) = found.value.problems
    assert (problem.where, problem.hint) == ("unno", "did you mean 'uno'?")
    with pytest.raises(tr.UsageError, match=r"compile: error: unknown option 'optimise'"):
        tr.compile(MODEL, optimise="size")  # type: ignore[call-arg]
    with pytest.raises(tr.UsageError, match="optimize: error: unknown 'smal'"):
        tr.compile(MODEL, optimize="smal")  # type: ignore[arg-type]
    with pytest.raises(tr.ModelError):
        tr.compile(b"no model")
    with pytest.raises(tr.OverBudgetError, match=r"more than max_arena=0\b"):
        tr.compile(MODEL, max_arena=0)
    with pytest.raises(tr.UsageError, match="is int64, expected int8, or float32"):
        tr.run(MODEL, np.zeros((1, 1), np.int64))
    with pytest.raises(tr.UsageError, match="'optimize' for a model that is compiled for host"):
        tr.run(tr.compile(MODEL), optimize="size")
    (tmp_path / "sine.c").write_text("mine")
    with pytest.raises(tr.UsageError, match="did not generate"):
        tr.compile(MODEL).write(tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["sine.c"]


def test_what_would_fit() -> None:
    """An error about memory has the ways around it, in figures and in words of Python."""
    with pytest.raises(tr.DoesNotFitError) as found:
        tr.compile(MODEL, "atmega328", optimize="layers", max_flash=100)
    error = found.value
    assert error.ways
    assert "weights='external'" in str(error)
    assert "--" not in str(error)
    assert pickle.loads(pickle.dumps(error.problems)) == error.problems  # noqa: S301 - our own


class Tags(HTMLParser):
    """The tags and attributes of a text, and whether it was closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember it."""
        self.found += [tag, *(name for name, _ in attrs)]


def test_hostile_names() -> None:
    """Names of tensors are text, wherever they are shown."""
    report = from_json(tr.Report, hostile_report())
    rows = [{"name": name, "number": 1} for name in HOSTILE]
    for text in (model_html(report, results=rows), table_html(rows), page_html(HOSTILE[0], "a")):
        found = Tags(text).found
        assert "div" in found or "iframe" in found
        assert {"script", "b", "onclick", "onerror"} & {*found} == set()


def test_looks() -> None:
    """One line for a console, a table and a picture for a notebook."""
    compiled = tr.compile(MODEL, "atmega328", optimize="layers")
    assert repr(compiled) == "<CompiledModel sine for atmega328: 308 B constants, 27 B RAM>"
    html = compiled._repr_html_()
    assert "FULLY_CONNECTED" in html
    assert "data:image/svg+xml;base64," in html
    assert compiled.memory_picture._repr_svg_().endswith("</svg>\n")
    assert repr(compiled.layers).splitlines()[0].split() == [
        *("node", "operator", "kernel", "output", "MACs", "constants")
    ]
    assert repr(tr.inspect(MODEL)) == "<Inspection sine: 3 nodes, supported>"
    assert repr(tr.run(MODEL)).startswith("<RunResult sine on host: 1 sample")
    assert tr.report(compiled)._repr_html_().startswith("<iframe ")
