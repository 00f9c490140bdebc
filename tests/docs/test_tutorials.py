"""The tutorials, followed step by step, and what their firmware says on an emulated part."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import MODELS_FOLDER, PROJECT
from tests.docs.pages import DOCS, code_blocks, read_page
from tests.docs.steps import follow, hold
from tests.package.package_builds import build_sketch, serial_text
from tests.support.tflm import tflm_outputs
from tinyml_rules.ir.graph import Array

SINE = MODELS_FOLDER / "sine" / "sine.tflite"
UNO = "tutorials/sine_on_an_uno.md"
DIGITS = PROJECT / "examples" / "digits"


def test_sine_on_an_uno(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """The library and the sketch; the project's own build is run by others, from a clone."""
    page = read_page(UNO)
    clone = tmp_path / "clone"
    shutil.copytree(SINE.parent, clone / "models" / "sine")
    (clone / ".venv" / "bin").mkdir(parents=True)
    (clone / ".venv" / "bin" / "activate").touch()
    part = page[page.index("## 2.") : page.index("## 4.")]
    hold(DOCS / UNO, part, follow(part, clone), request)
    (sketch,) = code_blocks(page, "cpp")
    file = tmp_path / "wave" / "wave.ino"
    file.parent.mkdir()
    file.write_text(sketch, encoding="utf-8")
    done = build_sketch(file, clone / "Arduino" / "libraries", tmp_path / "build")
    assert done.returncode == 0, done.stderr
    expected = _answers(np.arange(-128, 128, 8).astype(np.int8))
    elf = tmp_path / "build" / "wave.ino.elf"
    printed = serial_text(elf, part="atmega328p", count=len(expected))
    assert _numbers(printed) == expected
    shown = _numbers(code_blocks(page, "")[-1])
    assert shown == expected[: len(shown)]


def test_sine_on_an_uno_shows_what_is_printed() -> None:
    """The first lines are the README's, which are compared with a run."""
    page, readme = read_page(UNO), (PROJECT / "README.md").read_text()
    figures = code_blocks(page, "")[0].splitlines()[:-1]
    assert "\n".join(figures) in readme
    assert code_blocks(page, "sh")[0].splitlines()[-1] in readme


def test_own_firmware(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """The Makefile project; its vectors are TFLM's."""
    shutil.copy(SINE, tmp_path)
    page = read_page("tutorials/own_firmware.md")
    followed = follow(page, tmp_path)
    hold(DOCS / "tutorials/own_firmware.md", page, followed, request)
    assert followed.files == ["main.c", "Makefile", "vectors.py"]
    vectors = np.load(tmp_path / "vectors.npz")
    assert vectors["sine/output"].ravel().tolist() == _answers(vectors["sine/input"].ravel())


def test_float_to_part(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """From the float model to the header."""
    for name in ("digits.tflite", "calibration.npz", "evaluation.npz", "sensor.toml"):
        shutil.copy(DIGITS / name, tmp_path)
    page = read_page("tutorials/float_to_part.md")
    followed = follow(page, tmp_path)
    hold(DOCS / "tutorials/float_to_part.md", page, followed, request)
    assert followed.files == ["real_values.py"]
    header = (tmp_path / "gen" / "digits.h").read_text(encoding="utf-8")
    for function in ("digits_put_raw", "digits_invoke", "digits_decide"):
        assert f" {function}(" in header


def _numbers(text: str) -> list[int]:
    """Those that have a line of their own; simavr has lines of words beside them."""
    return [int(line) for line in re.findall(r"^(-?\d+)\r?$", text, re.M)]


def _answers(values: Array) -> list[int]:
    (outputs,) = tflm_outputs(SINE.read_bytes(), [values.reshape(-1, 1, 1)])
    return [int(each) for each in outputs.ravel()]
