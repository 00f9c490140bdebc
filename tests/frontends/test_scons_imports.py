"""A build with nothing to do imports no compiler, and looks at no file of it one by one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.frontends.builds import SINE, build, copy_project

SLOW = ("numpy", "jinja2", "flatbuffers", "tinyml_rules.compiler", "tinyml_rules.ops")
"""What takes as long as all of a build with nothing to do may."""
MOST_OF_OURS = 75
"""Modules of the package, of which each takes a millisecond or two."""
MOST_NODES = 60
"""What the C of a model depends on: SCons takes a third of a millisecond for each."""
SCRIPT = """
import atexit, sys
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
import SCons.Script
SCons.Script.main()
"""
SCONSTRUCT = """
env = Environment(
    tools=["default", "tinyml"],
    toolpath=[PyPackageDir("tinyml_rules.frontends.scons")],
    TINYML_TARGET="atmega328",
)
made = env.CFile("sine.tflite")
import atexit
atexit.register(lambda: print("nodes:", len(made[0].children())))
"""


def build_again(folder: Path, *words: str) -> tuple[str, list[str]]:
    """What a build prints, and what it has imported."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, "-Q", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout, done.stderr.split()


def check(found: list[str]) -> None:
    """Nothing slow, and little of ours."""
    assert "tinyml_rules.frontends.scons.model" in found
    assert set(SLOW).isdisjoint(found)
    ours = [name for name in found if name.startswith("tinyml_rules")]
    assert len(ours) <= MOST_OF_OURS, ours


def test_one_model(tmp_path: Path) -> None:
    """In somebody's folder."""
    (tmp_path / "sine.tflite").write_bytes((SINE / "sine.tflite").read_bytes())
    (tmp_path / "SConstruct").write_text(SCONSTRUCT, encoding="utf-8")
    first, _ = build_again(tmp_path)
    assert "TINYML  sine.tflite" in first
    again, found = build_again(tmp_path)
    assert "is up to date" in again
    check(found)
    (count,) = (int(line.split()[1]) for line in again.splitlines() if line.startswith("nodes:"))
    assert 1 < count <= MOST_NODES


@pytest.mark.parametrize("word", ["target=host"])
def test_the_project(word: str, tmp_path: Path) -> None:
    """The same of `./tinyml`, whose help names every target, and whose verbs run models."""
    folder = copy_project(tmp_path / "copy")
    build(folder, word)
    again, found = build_again(folder, word)
    assert "is up to date" in again
    check(found)
