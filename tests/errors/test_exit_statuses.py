"""One rule for the exit status: what the command line asks for is wrong (2), or the model or the
target is (1); a tool is missing (3); the mistake is ours (4)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.frontends.builds import SINE
from tests.support.hand_written import target_or_skip
from tinyml_rules.cli import main

FAULT, ASKED, TOOL, OURS = 1, 2, 3, 4
STATUSES = {
    "compil sine.tflite": ASKED,
    "compile": ASKED,
    "compile sine.tflite --optimise size": ASKED,
    "compile sine.tflite --target uno1": ASKED,
    "compile sine.tflite --target avr": ASKED,
    "compile sine.tflite --targets none": ASKED,
    "compile sine.tflite --optimize fastest": ASKED,
    "compile sine.tflite --ram many": ASKED,
    "compile sine.tflite --page 0": ASKED,
    "compile sine.tflite --place input=fast": ASKED,
    "compile sine.tflite --name int": ASKED,
    "compile sine.tflite --options none.toml": ASKED,
    "compile sine.tflite --options broken.toml": ASKED,
    "compile sine.tflite --sensor none.toml": ASKED,
    "compile sine.tflite --sensor broken.toml": ASKED,
    "compile sine.tflite --operators none": ASKED,
    "compile sine.tflite --out broken.toml": ASKED,
    "compile none.tflite": ASKED,
    "inspect none.tflite": ASKED,
    "size sine.tflite --target uno1": ASKED,
    "fit sine.tflite --parts uno1": ASKED,
    "package arduno sine.tflite": ASKED,
    "run sine.tflite --input none.npy": ASKED,
    "run sine.tflite --input broken.npy": ASKED,
    "test sine.tflite --vectors none.npz": ASKED,
    "report none.json": ASKED,
    "compile broken.tflite": FAULT,
    "inspect broken.tflite": FAULT,
    "compile sine.tflite --target wrong --targets mine": FAULT,
    "compile sine.tflite --max-flash 1": FAULT,
    "compile sine.tflite --ram 0": FAULT,
    "compile sine.tflite --kernel 0=none": FAULT,
    "compile sine.tflite --push-rows --partition": ASKED,
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: a model, and files that are no such files."""
    shutil.copy2(SINE / "sine.tflite", tmp_path)
    for name in ("broken.tflite", "broken.toml", "broken.npy"):
        (tmp_path / name).write_text("= nothing\n")
    (tmp_path / "mine" / "wrong").mkdir(parents=True)
    (tmp_path / "mine" / "wrong" / "target.toml").write_text("= nothing\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("words", STATUSES)
def test_status(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One of the table, and an error that says why."""
    assert status_of(words) == STATUSES[words]
    assert "error: " in capsys.readouterr().err


def test_missing_tool(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    target_or_skip("lm3s6965")
    monkeypatch.setenv("PATH", str(folder))
    assert status_of("run sine.tflite --target lm3s6965") == TOOL
    assert "missing tools: " in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_mistake_of_ours(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_arguments: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("tinyml_rules.api.compile.compile_model", fail)
    assert status_of("compile sine.tflite") == OURS
    assert "internal error" in capsys.readouterr().err


def status_of(words: str) -> int:
    """As the shell has it; argparse ends by itself."""
    try:
        return main(words.split())
    except SystemExit as end:
        return int(end.code or 0)
