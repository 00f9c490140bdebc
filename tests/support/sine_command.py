"""Commands on the sine for an ATmega328, in a folder that has the model and its vectors."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.frontends.builds import SINE
from tests.support.hand_written import target_or_skip
from tinyml_rules.cli import main

PART = "atmega328"
WORDS = ("sine.tflite", "--target", PART, "--optimize=layers")
Ran = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Ran:
    """A function from a command to its status and what it prints, in a folder with a model."""
    target_or_skip(PART)
    shutil.copy2(SINE / "sine.tflite", tmp_path)
    shutil.copy2(SINE / "vectors.npz", tmp_path)
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> tuple[int, str, str]:
        status = main(words)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run
