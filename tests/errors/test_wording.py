"""How messages call commands and options, and ends that are nobody's mistake but ours."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.frontends.builds import SINE
from tinyml_rules.cli import main
from tinyml_rules.compiler import compile_model
from tinyml_rules.frontends.scons.settings import MODEL_VARIABLES, variable_of
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops.fully_connected.cases import CASES as FULLY_CONNECTED
from tinyml_rules.reporting import tables
from tinyml_rules.reporting.parts import PeakFigures
from tinyml_rules.request.options import OPTIONS
from tinyml_rules.request.request import Request
from tinyml_rules.request.wording import command, worded
from tinyml_rules.target.target import load_target

BROKEN_PIPE, INTERNAL_ERROR, USAGE = 128 + 13, 4, 2


def test_nobody_reads_on(folder: Path) -> None:
    """`inspect ... | head -1`: no word, and the status of a program that a closed pipe ends."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tinyml_rules", "inspect", str(folder / "sound.tflite")],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    _, printed = process.communicate(timeout=60)
    assert (process.returncode, printed) == (BROKEN_PIPE, b"")


@pytest.mark.usefixtures("folder")
def test_mistake_of_our_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says so first, and asks for a report; what happened stands below."""

    def fail(*_arguments: object) -> None:
        raise AssertionError("a rule of ours")

    monkeypatch.setattr("tinyml_rules.api.compile.compile_model", fail)
    assert main(["compile", "sound.tflite"]) == INTERNAL_ERROR
    first, hint, *rest = capsys.readouterr().err.splitlines()
    place = r"(test_wording.py, line "
    assert first.startswith(f"tinyml_rules: internal error: AssertionError: a rule of ours {place}")
    assert hint.startswith("  hint: this is a mistake of tinyml_rules ")
    assert "not yours: please report it with the model" in hint
    assert rest[0] == "Traceback (most recent call last):"


@pytest.mark.parametrize("words", ["compile sound.tflite", "targets"])
def test_missing_folder_of_targets(
    words: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is named, with the folder that was meant, instead of an unknown target later."""
    assert (folder / "more").is_dir()
    assert main([*words.split(), "--targets", "moer"]) == USAGE
    assert capsys.readouterr().err == (
        "moer: error: no such folder, expected one with a folder for each target\n"
        "  hint: did you mean 'more'?\n"
    )


def test_command_that_can_be_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The installed script if it is on the path, else the Python that runs."""
    found: dict[str, str] = {}
    monkeypatch.setattr(shutil, "which", found.get)
    monkeypatch.setattr(sys, "executable", "/opt/py thon/bin/python3")
    assert command() == "'/opt/py thon/bin/python3' -m tinyml_rules"
    found["python3"] = "/usr/bin/python3"
    assert command() == "'/opt/py thon/bin/python3' -m tinyml_rules"
    found["python3"] = "/opt/py thon/bin/python3"
    assert worded("see `tinyml_rules ops` of tinyml_rules") == (
        "see `python3 -m tinyml_rules ops` of tinyml_rules"
    )
    found["tinyml_rules"] = "/usr/bin/tinyml_rules"  # another Python's
    assert command() == "python3 -m tinyml_rules"
    found["tinyml_rules"] = "/opt/py thon/bin/tinyml_rules"
    assert command() == "tinyml_rules"


def test_options_in_words_of_scons() -> None:
    """Every option that compiles has its variable; a tensor's name is no option."""
    for name, option in OPTIONS.items():
        assert variable_of(name) in MODEL_VARIABLES
        assert worded(f"--{option.dashed}", "scons").startswith(variable_of(name))
    text = "set --weights=external, --push-rows or --ram: tensor 'a--ram' of --enable-plugins"
    assert worded(text, "scons") == (
        "set TINYML_WEIGHTS='external', TINYML_PUSH_ROWS=True or TINYML_RAM: tensor 'a--ram' of "
        "--enable-plugins"
    )


def test_lines_of_the_peak_are_short() -> None:
    """A sentence a line, wrapped; of many tensors the first."""
    tensors = [
        f"tensor #{number} (960 bytes) keeps 3 of its 25 rows at a time" for number in range(9)
    ]
    remedy = f"with {'a great deal of ' * 8}words: --push-rows, 5604 bytes"
    peak = PeakFigures(0, (*range(10), 12), 5994, ())
    model = (SINE / "sine.tflite").read_bytes()
    report = compile_model(Request(model, "sine", load_target("host"))).report
    report = replace(report, peak=peak, advice=("; ".join(tensors), remedy))
    lines = tables.peak_summary(report).splitlines()
    assert lines[:2] == ["  peak: 5,994 B at nodes 0 to 9, 12", f"    {tensors[0]}"]
    assert lines[4] == "    and 6 more tensors"
    assert max(map(len, lines)) <= tables.LINE_WIDTH
    assert " ".join(line.strip() for line in lines[5:]) == remedy


@pytest.mark.parametrize("words", ["", " --quiet", " --json"])
def test_warning(words: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is told on standard error, whatever is printed; the files are there."""
    (folder / "far.tflite").write_bytes(build_model(FULLY_CONNECTED["sums_wrap"].model))
    assert main(f"compile far.tflite --out done{words}".split()) == 0
    assert capsys.readouterr().err == (
        "far: node 0 (fully_connected): warning: the sum of output 4 can reach 2147580475, beyond "
        "int32: it wraps\n  hint: so it does in TFLM; look at the scales of bias and weights\n"
    )
    assert (folder / "done" / "far.c").exists()


def test_warning_of_float32(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A model that was left in float32 is compiled where all its operators have such kernels, and
    told what makes integers of it."""
    (folder / "real.tflite").write_bytes(build_model(FULLY_CONNECTED["real"].model))
    assert main(["compile", "real.tflite", "--out", "done", "--quiet"]) == 0
    assert capsys.readouterr().err == (
        "real: warning: 60 of 60 multiply-accumulates are float32, slow where there is no float "
        f"unit\n  hint: quantize the model: `{command()} quantize MODEL --calibration FILE`; "
        "docs/how-to/int8_models.md shows how\n"
    )
