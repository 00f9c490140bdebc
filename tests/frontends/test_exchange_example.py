"""The example with two slots, and the command that writes what lies there."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.exchange.exchanging import expected, other_weights
from tests.frontends.builds import SINE, run
from tinyml_rules.cli import main

MODEL = (SINE / "sine.tflite").read_bytes()
FIRST, SECOND = MODEL, other_weights(MODEL, seed=4)
OWN = 2
"""The version of the model that the firmware was built with."""


def image(folder: Path, name: str, model: bytes, *words: str, status: int = 0) -> Path:
    """What the command writes."""
    file = folder / f"{name}.tflite"
    file.write_bytes(model)
    out = folder / f"{name}.bin"
    order = ["image", str(file), "--target=host", "--name=sine", "--out", str(out), *words]
    assert main(order) == status
    return out


def answer(model: bytes) -> int:
    (output,) = expected(model, [bytes([32])])
    return int.from_bytes(output, "little", signed=True)


@pytest.fixture(scope="module")
def firmware(tmp_path_factory: pytest.TempPathFactory, installed_python: Path) -> Path:
    """The example, built by make."""
    folder = tmp_path_factory.mktemp("examples")
    for name in ("exchange", "node"):
        shutil.copytree(PROJECT / "examples" / name, folder / name)
    variables = {"PATH": f"{installed_python.parent}:{os.environ['PATH']}"}
    done = run(["make"], folder / "exchange", variables=variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "exchange" / "slots"


def test_slots(firmware: Path, tmp_path: Path) -> None:
    """The latest of what is whole, newer than the firmware's own, and for it."""

    def said(*files: Path) -> tuple[str, int]:
        slot, value = run([str(firmware), *map(str, files)], tmp_path).stdout.split()
        return slot, int(value)

    newer = image(tmp_path, "newer", SECOND, "--model-version=3")
    newest = image(tmp_path, "newest", FIRST, "--model-version=4")
    older = image(tmp_path, "older", SECOND, f"--model-version={OWN - 1}")
    foreign = image(tmp_path, "foreign", SECOND, "--model-version=9", "--optimize=size")
    broken = tmp_path / "broken.bin"
    broken.write_bytes(newest.read_bytes()[:-1] + bytes([newest.read_bytes()[-1] ^ 1]))
    short = tmp_path / "short.bin"
    short.write_bytes(newest.read_bytes()[:200])
    nothing = tmp_path / "nothing"
    own, second = ("own", answer(FIRST)), answer(SECOND)
    assert second != answer(FIRST)
    assert said() == own
    assert said(newer) == ("A", second)
    assert said(nothing, newer) == ("B", second)
    assert said(newer, newest) == ("B", answer(FIRST))
    for useless in (older, foreign, broken, short):
        assert said(useless) == own
        assert said(useless, newer) == ("B", second)


def test_for_a_firmware(firmware: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command knows the layout of an image before, and of what was linked."""
    before = image(tmp_path, "before", FIRST)
    for file in (before, firmware):
        image(tmp_path, "after", SECOND, "--for", str(file))
    capsys.readouterr()
    image(tmp_path, "other", SECOND, "--optimize=size", "--for", str(before), status=1)
    assert "sine: error: the image has layout" in capsys.readouterr().err
    assert not (tmp_path / "other.bin").exists()
    image(tmp_path, "none", SECOND, "--for", str(tmp_path / "before.tflite"), status=2)
    assert "has no image of a model" in capsys.readouterr().err


def test_other_files_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only an image is written over."""
    (tmp_path / "mine.bin").write_bytes(b"mine")
    image(tmp_path, "mine", FIRST, status=2)
    assert "found a file that tinyml_rules did not generate" in capsys.readouterr().err
    assert (tmp_path / "mine.bin").read_bytes() == b"mine"
