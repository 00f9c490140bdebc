"""What SCons alone has of TinymlQuantize and TINYML_ACCURACY: caches, cleaning, mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.frontends.builds import files_under, has_worked, scons
from tests.frontends.conftest import Build
from tests.frontends.float_model import calibration, float_model, quantized, write_labels
from tests.frontends.stranger import write_sconstruct

BUDGET = "TINYML_ACCURACY={'vectors': 'labelled.npz', 'min': 0.9},"
QUANTIZE = (
    "small = env.TinymlQuantize('small', 'float.tflite', calibration='cal.npy', "
    "scales='power-of-two')"  # as `quantized`, from which the labels are
)
FIRMWARE = "env.TinymlFirmware(small)"
CACHE = "CacheDir('../cache')"
JUDGED = "ACCURACY small.tflite: accuracy 1.0000 (12 of 12)\n"


def fill(folder: Path) -> Path:
    """A folder with a float model, samples and labels, which is made."""
    folder.mkdir()
    (folder / "float.tflite").write_bytes(float_model())
    np.save(folder / "cal.npy", calibration())
    write_labels(folder, quantized(folder))
    (folder / "expected" / "small.tflite").unlink()
    (folder / "expected").rmdir()
    return folder


def test_cache_and_clean(tmp_path: Path, build_: Build) -> None:
    """Another clone retrieves all, report and figures included; nothing of it is left by -c, and
    a newer date is no change."""
    first, second = fill(tmp_path / "first"), fill(tmp_path / "second")
    for folder in (first, second):
        write_sconstruct(folder, CACHE, QUANTIZE, FIRMWARE, settings=BUDGET)
    before = files_under(first)
    said = build_(first, "-j4")
    assert said.count("QUANTIZE build/quantized/small.tflite\n") == said.count(JUDGED) == 1
    (first / "cal.npy").touch()
    (first / "labelled.npz").touch()
    assert not has_worked(build_(first))
    said = build_(second)
    assert "Retrieved `build/quantized/small.tflite' from cache" in said
    assert "QUANTIZE" not in said
    assert JUDGED not in said
    assert files_under(first) == files_under(second)
    report = json.loads((second / "build" / "host" / "small" / "small.report.json").read_text())
    assert (report["accuracy"]["accuracy"], report["accuracy"]["samples"]) == (1, 12)
    assert report["flash_bytes"] > 0
    build_(first, "-c")
    assert files_under(first) == before


def test_killed_build(tmp_path: Path, build_: Build) -> None:
    """What is not the file that SCons noted is made again, like all that is ours."""
    folder = fill(tmp_path / "firmware")
    write_sconstruct(folder, QUANTIZE, FIRMWARE, settings=BUDGET)
    build_(folder)
    whole = files_under(folder)
    for file in ("build/quantized/small.tflite", "build/host/small/small.accuracy.json"):
        data = (folder / file).read_bytes()
        (folder / file).write_bytes(data.replace(b"12", b"11") if b"{" in data[:1] else data + b" ")
    build_(folder)
    assert files_under(folder) == whole


WRONG = {
    "TINYML_ACCURACY: error: found 0.9, expected {'vectors': 'labelled.npz', 'min': 0.9}": (
        *("TINYML_ACCURACY=0.9,", FIRMWARE),
    ),
    "TINYML_ACCURACY: error: lacks 'vectors': labelled samples: a .npz": (
        *("TINYML_ACCURACY={'min': 0.9},", FIRMWARE),
    ),
    "TINYML_ACCURACY: error: unknown 'vector', expected one of vectors, min, min_sqnr, ": (
        *("TINYML_ACCURACY={'vector': 'labelled.npz'},", FIRMWARE),
    ),
    "TINYML_ACCURACY min: error: found '90', expected a number from 0 to 1": (
        *("TINYML_ACCURACY={'vectors': 'labelled.npz', 'min': 90},", FIRMWARE),
    ),
    "TinymlQuantize('a'): error: unknown 'samples', expected one of calibration, ": (
        *("", "env.TinymlQuantize('a', 'float.tflite', samples='cal.npy')"),
    ),
    "TinymlQuantize('a') scales: error: unknown 'powers', expected one of free, power-of-two": (
        *("", "env.TinymlQuantize('a', 'float.tflite', calibration='cal.npy', scales='powers')"),
    ),
    "float.tflite: error: found a file that tinyml_rules did not generate": (
        *("", "env.TinymlQuantize('float', 'float.tflite', calibration='cal.npy', folder='.')"),
    ),
}


@pytest.mark.parametrize("text", WRONG)
def test_mistakes(tmp_path: Path, installed_python: Path, text: str) -> None:
    """While the SConstruct is read, in a line, and nothing is touched."""
    folder = fill(tmp_path / "firmware")
    settings, line = WRONG[text]
    write_sconstruct(folder, QUANTIZE, line, settings=settings)
    before = files_under(folder)
    done = scons(folder, python=installed_python)
    assert done.returncode == 2
    assert done.stderr.count(text) == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert files_under(folder) == before


def test_one_budget_a_model(tmp_path: Path, build_: Build) -> None:
    """A call has its own; the others are compiled as ever."""
    folder = fill(tmp_path / "firmware")
    write_sconstruct(
        folder,
        QUANTIZE,
        "env.TinymlModel(small, 'one', TINYML_ACCURACY={'vectors': 'labelled.npz', 'min': 1})",
        "env.TinymlModel(small, 'two', TINYML_TARGET='atmega328')",
    )
    said = build_(folder)
    assert said.count(JUDGED) == 1
    assert (folder / "one" / "small.accuracy.json").is_file()
    assert not (folder / "two" / "small.accuracy.json").exists()
