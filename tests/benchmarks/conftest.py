"""The one run of the whole matrix that all tests look at, whatever process they are in."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks.matrix import Row
from benchmarks.results import rows_of
from models.zoo import matrix_models
from tests.conftest import DOWNLOADS, MODELS_FOLDER, ZooModel
from tests.frontends.builds import BUILD_PARTS, copy_project, run
from tests.support.once import made_once

LIMIT_S = 1800
KEPT_SCONS = "tests.support.kept_scons"


@dataclass(frozen=True)
class Matrix:
    """What `scons matrix docs=yes` printed and wrote in a copy of this project."""

    folder: Path
    status: int
    output: str
    errors: str

    @property
    def rows(self) -> list[Row]:
        """The rows of build/matrix.json."""
        return rows_of(self.text("build/matrix.json"))

    def text(self, name: str) -> str:
        """One of its files."""
        return (self.folder / name).read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def matrix(
    tmp_path_factory: pytest.TempPathFactory,
    worker_id: str,
    zoo_model: ZooModel,
    models_mirror: Path | None,
) -> Matrix:
    """From nothing built; of several processes the first one makes it, and the others wait."""
    for name in matrix_models(MODELS_FOLDER):
        zoo_model(name)

    def make(folder: Path) -> None:
        copy = copy_project(
            folder / "project",
            parts=(*BUILD_PARTS, "generate", "requirements", "README.md", "docs", "tests"),
        )
        words = ["matrix", "docs=yes", f"models={models_mirror or DOWNLOADS}"]
        done = run([sys.executable, "-m", KEPT_SCONS, "-Q", *words], copy, timeout_s=LIMIT_S)
        said = json.dumps([done.returncode, done.stdout, done.stderr])
        (folder / "said.json").write_text(said, encoding="utf-8")

    folder = made_once(tmp_path_factory, worker_id, "matrix", make)
    return Matrix(folder / "project", *json.loads((folder / "said.json").read_text("utf-8")))
