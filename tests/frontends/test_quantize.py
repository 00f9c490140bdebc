"""Float model and samples -> firmware, in the build systems that run the installed package.

The same bytes, made again when an input changes and not else, and no firmware where a budget or the
quantizer says no.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.frontends.float_model import (
    MAIN,
    Way,
    answers_of,
    calibration,
    float_model,
    quantized,
    ways,
    write_labels,
)
from tests.frontends.stranger import answers


@pytest.fixture(params=ways())
def way(request: pytest.FixtureRequest) -> Way:
    """A build system."""
    return ways()[request.param]


def fill(folder: Path, way: Way) -> bytes:
    """A folder with all that is built from; the bytes that the model has to become."""
    (folder / way.file).write_text(way.text)
    (folder / "main.c").write_text(MAIN)
    (folder / "float.tflite").write_bytes(float_model())
    np.save(folder / "cal.npy", calibration())
    model = quantized(folder)
    write_labels(folder, model)
    return model


def dates(folder: Path) -> dict[str, int]:
    """When each file was made that a build leaves."""
    endings = (".tflite", ".c", ".o", "fw", ".accuracy.json")
    return {
        str(file): file.stat().st_mtime_ns
        for file in folder.rglob("*")
        if file.is_file() and file.name.endswith(endings) and "expected" not in file.parts
    }


def build(way: Way, folder: Path, python: Path) -> None:
    """Where nothing may go wrong; the model is then the command line's, and the answers TFLM's."""
    done = way.run(folder, python)
    assert done.returncode == 0, done.stdout + done.stderr
    model = quantized(folder)
    assert (folder / way.generated).read_bytes() == model
    assert answers(folder / way.program) == answers_of(model)


def refused(way: Way, folder: Path, python: Path) -> str:
    """What a build says that ends with an error of ours."""
    done = way.run(folder, python)
    said = done.stdout + done.stderr
    assert done.returncode != 0
    assert "Traceback" not in said
    return said


def test_from_float_to_firmware(tmp_path: Path, installed_python: Path, way: Way) -> None:
    """Build, build again, change a sample, then the labels, then break the samples."""
    python, folder = installed_python, tmp_path
    model = fill(folder, way)
    if way.set_up:
        assert way.run(folder, python, sets_up=True).returncode == 0
    build(way, folder, python)
    before = dates(folder)
    build(way, folder, python)
    assert dates(folder) == before

    np.save(folder / "cal.npy", calibration(last=30.0))
    other = quantized(folder)
    assert other != model
    write_labels(folder, other)
    build(way, folder, python)

    write_labels(folder, other, wrong=12)
    said = "small: error: accuracy 0.0000 (0 of 12 samples), expected at least 1; class"
    assert refused(way, folder, python).count(said) == 1

    write_labels(folder, other)
    np.save(folder / "cal.npy", calibration(last=np.nan))
    assert refused(way, folder, python).count("cal.npy: error: ") == 1
    made = folder / way.generated
    assert not made.exists() or made.read_bytes() == other
