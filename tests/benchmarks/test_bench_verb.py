"""What `scons bench` shows, writes and refuses."""

from __future__ import annotations

import json
import re
import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.layers import LAYERS
from tests.conftest import PROJECT
from tests.frontends.builds import BUILD_PARTS, build, copy_project, files_under, scons
from tests.support.hand_written import target_or_skip
from tinyml_rules.target.target import target_names

USAGE = 2
PART = "nrf51"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the project, with what the set is built by."""
    return copy_project(tmp_path / "copy", parts=(*BUILD_PARTS, "tests"))


def test_a_model_and_the_set(project: Path) -> None:
    """Both beside the release; what is unchanged is not measured again, and `-c` cleans it."""
    target_or_skip(PART)
    words = ("bench", f"target={PART}", "model=sine,layers")
    text = build(project, *words)
    assert f"{len(LAYERS)} layers on {PART}\n" in text
    assert "[1/1] sine on nrf51: " in text
    shown = text[text.index("models\n") :]
    assert (project / "build" / "bench.txt").read_text("utf-8") == shown
    assert len(re.findall(rf"^{PART} +sine ", shown, re.M)) == 2
    assert re.search(
        rf"^{PART} +conv_1x1_of_64 +instructions +[\d,]+ +[\d.]+ +[\d.]+ ", shown, re.M
    )
    rows = json.loads((project / "build" / "bench_layers.json").read_text("utf-8"))
    assert [row["layer"] for row in rows] == list(LAYERS)
    again = build(project, *words)
    assert "layers on" not in again
    assert again.endswith(shown)
    build(project, "-c", *words)
    assert all(name.startswith(".runners/") for name in files_under(project / "build"))


@pytest.mark.parametrize(
    ("words", "status", "text"),
    [
        (
            "bench target=nrf15",
            USAGE,
            "nrf15: error: unknown target 'nrf15', expected one of {targets}\n"
            "  hint: did you mean 'nrf51'?\n",
        ),
        (
            "bench schedule=layer",
            USAGE,
            "scons: error: unknown variable 'schedule', expected one of target, model, models, "
            "docs, record\n",
        ),
        (
            "bench test",
            USAGE,
            "scons: error: 'bench' is a whole command, expected no other verb with it\n",
        ),
        (
            "bench record=yes model=layers",
            USAGE,
            "scons: error: 'record' is yes, expected no 'target' or 'model' with it\n",
        ),
        ("bench docs=please", USAGE, "scons: error: 'docs' is 'please', expected yes or no\n"),
    ],
)
def test_refused(words: str, status: int, text: str, project: Path) -> None:
    """The error lists what there is; nothing is built."""
    done = scons(project, *words.split())
    assert done.stderr == text.format(targets=", ".join(target_names()))
    assert done.returncode == status
    assert not (project / "build").exists()


def test_set_up_for_the_bench() -> None:
    """`./tinyml bench` installs the tools of all its targets."""
    named: Callable[[list[str]], list[str]]
    named = runpy.run_path(str(PROJECT / "tinyml"))["targets_named_by"]
    assert named(["bench"]) == list(target_names())
    assert named(["bench", "target=nrf51,rp2040", "model=layers"]) == ["nrf51", "rp2040"]
