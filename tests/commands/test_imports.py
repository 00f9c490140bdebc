"""A command imports what it needs, and nothing that only other commands need."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.frontends.builds import SINE

SLOW = ("numpy", "jinja2", "flatbuffers", "importlib.metadata", "email")
LEFT_OUT = {
    ("--version",): SLOW,
    ("--help",): SLOW,
    ("where", "scons"): ("tinyml_rules.compiler", "tinyml_rules.ops.add", "jinja2"),
    ("targets",): ("tinyml_rules.runners", "tinyml_rules.quantizer", "jinja2"),
    ("measure", "--help"): ("tinyml_rules.request.request", "tinyml_rules.lower", "jinja2"),
    ("compile", "sine.tflite", "--quiet"): (
        "tinyml_rules.runners",
        "tinyml_rules.quantizer.quantize",
        "tinyml_rules.fitting",
        "tinyml_rules.package",
        "elftools",
    ),
}
"""Modules that a command does not import."""
MOST_OF_OURS: dict[tuple[str, ...], int] = {("--version",): 25, ("--help",): 25}
"""How many it imports at most: each takes a millisecond or two, whatever is in it."""


def imported_by(script: str, *words: str, folder: Path) -> list[str]:
    """What a process of its own has imported at its end."""
    ending = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); "
    done = subprocess.run(
        [sys.executable, "-c", f"{ending}{script}", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stderr.split()


@pytest.mark.parametrize("words", LEFT_OUT, ids=" ".join)
def test_left_out(words: tuple[str, ...], tmp_path: Path) -> None:
    """As it is started."""
    (tmp_path / "sine.tflite").write_bytes((SINE / "sine.tflite").read_bytes())
    script = "from tinyml_rules.cli import main; assert not main(sys.argv[1:])"
    found = imported_by(script, *words, folder=tmp_path)
    assert set(LEFT_OUT[words]).isdisjoint(found)
    ours = [name for name in found if name.startswith("tinyml_rules")]
    assert len(ours) <= MOST_OF_OURS.get(words, len(ours)), ours


def test_the_package_alone(tmp_path: Path) -> None:
    """`import tinyml_rules` is one module."""
    found = imported_by("import tinyml_rules", folder=tmp_path)
    assert [name for name in found if name.startswith("tinyml_rules")] == ["tinyml_rules"]


def test_the_program_of_a_test_in_bazel(tmp_path: Path) -> None:
    """It runs what is compiled; only a budget of cycles needs the compiler."""
    found = imported_by("import tinyml_rules.frontends.bazel.runner", folder=tmp_path)
    assert {"tinyml_rules.compiler", "tinyml_rules.ops.add", "jinja2"}.isdisjoint(found)
