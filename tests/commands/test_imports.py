"""A command imports what it needs, and nothing that only other commands need."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.frontends.builds import SINE

LEFT_OUT = {
    ("where", "scons"): ("tinyml_rules.compiler", "tinyml_rules.ops.add", "jinja2"),
    ("targets",): ("tinyml_rules.runners", "tinyml_rules.quantizer", "jinja2"),
    ("compile", "sine.tflite", "--quiet"): (
        "tinyml_rules.runners",
        "tinyml_rules.quantizer.quantize",
        "tinyml_rules.fitting",
        "tinyml_rules.package",
        "elftools",
    ),
}
"""Modules that a command does not import."""


@pytest.mark.parametrize("words", LEFT_OUT, ids=" ".join)
def test_left_out(words: tuple[str, ...], tmp_path: Path) -> None:
    """In a process of its own."""
    (tmp_path / "sine.tflite").write_bytes((SINE / "sine.tflite").read_bytes())
    script = (
        "import sys; from tinyml_rules.cli import main; assert main(sys.argv[1:]) == 0; "
        "print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    command = [sys.executable, "-c", script, *words]
    variables = {**os.environ, "PYTHONPATH": str(PROJECT)}
    done = subprocess.run(
        command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=True
    )
    assert set(LEFT_OUT[words]).isdisjoint(done.stderr.split())
