"""Whatever takes the name of a file or a folder in a SConstruct takes a pathlib.Path as well."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import PROJECT
from tests.frontends.builds import SINE, build, copy_project
from tests.frontends.conftest import Build
from tests.frontends.float_model import calibration, float_model, quantized, write_labels
from tests.frontends.stranger import write_sconstruct
from tests.support.hand_written import target_or_skip

VOLTS = '[input]\nraw = "uint8"\nscale = 0.01\n'
KNOB = PROJECT / "examples" / "custom_operator"
CALLS = {
    "sensor": (
        "env.TinymlModel('sine.tflite', Path('made'), TINYML_SENSOR=Path('volts.toml'))",
        "made/sine.c",
    ),
    "operators": (
        "env.TinymlModel('knob.tflite', 'made', TINYML_OPERATORS=Path('operators'))",
        "made/knob.c",
    ),
    "several folders of operators": (
        "env.TinymlModel('knob.tflite', 'made', TINYML_OPERATORS=[Path('operators')])",
        "made/knob.c",
    ),
    "targets": (
        "env.TinymlModel('sine.tflite', 'made', TINYML_TARGETS=[Path('parts')])",
        "made/sine.c",
    ),
    "model": ("env.TinymlModel(Path('sine.tflite'), 'made')", "made/sine.c"),
    "library": ("env.TinymlLibrary('all', [Path('sine.tflite')], Path('made'))", "made/liball.a"),
    "test": (
        "env.TinymlTest('t', Path('sine.tflite'), Path('vectors.npz'), Path('made'))",
        "made/t.passed",
    ),
    "report": ("env.TinymlReport(Path('made.html'), Path('sine.tflite'))", "made.html"),
    "calibration": (
        "env.TinymlQuantize('q', Path('float.tflite'), Path('made'), calibration=Path('cal.npy'))",
        "made/q.tflite",
    ),
    "accuracy": (
        "env.TinymlModel('small.tflite', 'made', "
        "TINYML_ACCURACY={'vectors': Path('labelled.npz'), 'min': 0.9})",
        "made/small.c",
    ),
}
"""By what is a Path: a call, and a file that it makes."""


@pytest.fixture
def filled(folder: Path) -> Path:
    """A folder with all that the calls name."""
    (folder / "volts.toml").write_text(VOLTS)
    shutil.copy(SINE / "vectors.npz", folder)
    shutil.copy(KNOB / "knob.tflite", folder)
    shutil.copytree(KNOB / "operators", folder / "operators")
    (folder / "parts").mkdir()
    shutil.copytree(PROJECT / "targets" / "atmega168", folder / "parts" / "mine")
    (folder / "float.tflite").write_bytes(float_model())
    np.save(folder / "cal.npy", calibration())
    write_labels(folder, quantized(folder))
    shutil.move(folder / "expected" / "small.tflite", folder)
    return folder


@pytest.mark.parametrize("name", CALLS)
def test_path(name: str, filled: Path, build_: Build) -> None:
    """It is made, and then up to date."""
    call, made = CALLS[name]
    write_sconstruct(filled, "from pathlib import Path", call)
    build_(filled)
    assert (filled / made).is_file()
    assert "up to date" in build_(filled)


@pytest.mark.parametrize("start", [".", "models"])
def test_on_the_command_line(start: str, tmp_path: Path) -> None:
    """`scons sensor=FILE` and `operators=FOLDER`: a path begins where scons was started, as that of
    a model does."""
    target_or_skip("host")
    folder = copy_project(tmp_path / "copy")
    here = folder / start
    (here / "volts.toml").write_text(VOLTS)
    shutil.copy(KNOB / "knob.tflite", here)
    shutil.copytree(KNOB / "operators", here / "operators")
    words = () if start == "." else ("-D",)
    build(here, *words, "model=sine", "sensor=volts.toml")
    assert "sine_put_raw" in (folder / "build" / "host" / "sine" / "sine.h").read_text()
    build(here, *words, "model=knob.tflite", "operators=operators")
    assert (folder / "build" / "host" / "own" / "knob" / "knob.c").is_file()
