"""The package as a user gets it: a wheel, installed into a virtual environment of its own."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest

from tests.frontends.builds import PACKAGE_PARTS, SINE, build, copy_project, run

Build = Callable[..., str]

NOT_REACHABLE = "No matching distribution found"


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `pip wheel .` makes; skips where the build backend cannot be had."""
    folder = tmp_path_factory.mktemp("wheel")
    source = copy_project(folder / "source", parts=PACKAGE_PARTS)
    pip([sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, "."], source)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def installed_python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python into which the wheel was installed, with what the wheel says it needs."""
    folder = tmp_path_factory.mktemp("installed")
    done = run([sys.executable, "-m", "venv", "--without-pip", folder], folder)
    assert done.returncode == 0, done.stderr
    python = folder / "bin" / "python"
    pip([sys.executable, "-m", "pip", "--python", python, "install", wheel], folder)
    return python


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the sine model."""
    path = tmp_path / "firmware"
    path.mkdir()
    shutil.copy2(SINE / "sine.tflite", path)
    return path


@pytest.fixture
def build_(installed_python: Path) -> Build:
    """`build` with the Python that has the package."""
    return partial(build, python=installed_python)


def pip(command: Sequence[str | Path], folder: Path) -> None:
    """Run pip; a skip if it reaches no index."""
    done = run([*command, "--quiet", "--disable-pip-version-check"], folder)
    if NOT_REACHABLE in done.stderr:
        pytest.skip(f"pip found no packages: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
