"""The package as a user gets it: a wheel, installed into a virtual environment of its own."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest

from tests.frontends.builds import PACKAGE_PARTS, SINE, build, copy_project, run
from tests.frontends.platformio_builds import PlatformIO, make_platformio
from tests.support.once import made_once

Build = Callable[..., str]

NOT_REACHABLE = "No matching distribution found"


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """What `pip wheel .` makes; skips where the build backend cannot be had."""

    def make(folder: Path) -> None:
        source = copy_project(folder / "source", parts=PACKAGE_PARTS)
        pip([sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, "."], source)

    (built,) = made_once(tmp_path_factory, worker_id, "wheel", make).glob("*.whl")
    return built


@pytest.fixture(scope="session")
def installed_python(wheel: Path, tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A Python into which the wheel was installed, with what the wheel says it needs."""

    def make(folder: Path) -> None:
        done = run([sys.executable, "-m", "venv", "--without-pip", folder], folder)
        assert done.returncode == 0, done.stderr
        python = folder / "bin" / "python"
        pip([sys.executable, "-m", "pip", "--python", python, "install", wheel], folder)

    return made_once(tmp_path_factory, worker_id, "installed", make) / "bin" / "python"


@pytest.fixture(scope="session")
def platformio(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> PlatformIO:
    """`pio` without network, with the wheel in its Python."""
    return make_platformio(tmp_path_factory.mktemp("platformio"), wheel)


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
