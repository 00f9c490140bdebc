"""What `scons matrix` does again, what it refuses, and how it tells of an error."""

from __future__ import annotations

import json
import os
import runpy
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import PROJECT
from tests.frontends.builds import build, copy_project, files_under, programs_without_avr_gcc, scons
from tests.support.hand_written import target_or_skip
from tinyml_rules.target.target import target_names

USAGE = 2
BUILD_FAILED = 2
HERE = ("matrix", "model=sine", "target=host")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the project."""
    return copy_project(tmp_path / "copy")


def row_of(folder: Path, target: str = "host") -> dict[str, Any]:
    """The sine's row."""
    rows = json.loads((folder / "build" / "matrix.json").read_text(encoding="utf-8"))
    row, *_ = (row for row in rows if (row["target"], row["model"]) == (target, "sine"))
    found: dict[str, Any] = row
    return found


def made_at(folder: Path) -> int:
    """When the sine's pair was made."""
    return (folder / "build/host/sine/matrix.json").stat().st_mtime_ns


def test_an_unchanged_pair_is_not_made_again(project: Path) -> None:
    """It is shown all the same; an edit of what it depends on makes it again."""
    first = build(project, *HERE)
    assert "[1/1] sine on host: " in first
    before = made_at(project)
    assert build(project, *HERE) == first
    assert made_at(project) == before
    for name in ("benchmarks/matrix.py", "targets/host/port.c", "tinyml_rules/emit/emit.py"):
        file = project / name
        comment = "\n# why\n" if file.suffix == ".py" else "/* why */\n"
        file.write_text(file.read_text(encoding="utf-8") + comment, encoding="utf-8")
        assert build(project, *HERE) == first
        assert made_at(project) > before
        before = made_at(project)


def test_a_cache_brings_it_back(project: Path) -> None:
    """And it is shown, with the table."""
    construct = project / "SConstruct"
    text = construct.read_text(encoding="utf-8")
    construct.write_text(text.replace("verbs.add", "CacheDir('cache')\nverbs.add"), "utf-8")
    first = build(project, *HERE)
    shutil.rmtree(project / "build")
    again = build(project, *HERE)
    assert again == "Retrieved `build/host/sine/matrix.json' from cache\n" + first


def test_a_wrong_output_is_an_error(project: Path) -> None:
    """After the whole table, and again until it is mended."""
    vectors = project / "models" / "sine" / "vectors.npz"
    right = vectors.read_bytes()
    arrays: dict[str, Any] = dict(np.load(vectors))
    expected = int(arrays["sine/output"][3, 0, 0])
    arrays["sine/output"][3, 0, 0] ^= 1
    np.savez(vectors, **arrays)
    detail = f"sample 3: output 'sine/output'[0, 0] is {expected}, expected {expected ^ 1}"
    for _ in range(2):
        done = scons(project, *HERE)
        assert f"[1/1] sine on host: error: {detail}\n\n" in done.stdout
        assert done.stderr.startswith("matrix: error: 1 of 1 rows are errors\n")
        assert done.returncode == BUILD_FAILED
        assert (row_of(project)["result"], row_of(project)["detail"]) == ("error", detail)
    vectors.write_bytes(right)
    build(project, *HERE)
    assert row_of(project)["result"] == "exact"


def test_missing_tools_are_a_row(project: Path, tmp_path: Path) -> None:
    """It names them; once they are there the pair is made."""
    target_or_skip("atmega328")
    programs = programs_without_avr_gcc(tmp_path / "programs")
    words = ("matrix", "model=sine", "target=host,atmega328")
    done = scons(project, *words, path=str(programs))
    assert (done.returncode, done.stderr) == (0, "")
    assert "] sine on atmega328: missing tools: avr-gcc\n" in done.stdout
    assert row_of(project, "atmega328")["result"] == "missing tools"
    assert row_of(project, "host")["result"] == "exact"
    build(project, *words)
    assert row_of(project, "atmega328")["result"] == "exact"


@pytest.mark.parametrize(
    ("words", "status", "text"),
    [
        (
            "matrix target=host,atmega238",
            USAGE,
            "atmega238: error: unknown target 'atmega238', expected one of {targets}\n"
            "  hint: did you mean 'atmega328'?\n",
        ),
        (
            "matrix schedule=layer",
            USAGE,
            "scons: error: unknown variable 'schedule', expected one of target, model, models, "
            "docs\n",
        ),
        (
            "matrix test",
            USAGE,
            "scons: error: 'matrix' is a whole command, expected no other verb with it\n",
        ),
        (
            "matrix docs=yes model=sine",
            USAGE,
            "scons: error: 'docs' is yes, expected no 'target' or 'model' with it\n",
        ),
        ("matrix docs=please", USAGE, "scons: error: 'docs' is 'please', expected yes or no\n"),
    ],
)
def test_refused(words: str, status: int, text: str, project: Path) -> None:
    """The error lists what there is; nothing is built."""
    done = scons(project, *words.split())
    assert done.stderr == text.format(targets=", ".join(target_names()))
    assert done.returncode == status
    assert not (project / "build").exists()


def test_clean(project: Path) -> None:
    """`-c` leaves nothing but SCons's notes."""
    build(project, *HERE)
    assert files_under(project / "build")
    build(project, "-c", *HERE)
    assert not files_under(project / "build")


def test_as_many_jobs_as_cores(project: Path) -> None:
    """Unless the user says how many."""
    construct = project / "SConstruct"
    text = construct.read_text(encoding="utf-8")
    construct.write_text(text + "print('jobs:', GetOption('num_jobs'))\n", encoding="utf-8")
    assert f"jobs: {os.cpu_count()}\n" in build(project, *HERE)
    assert "jobs: 7\n" in build(project, "-j7", *HERE)


def test_set_up_for_the_matrix() -> None:
    """`./tinyml matrix` installs the tools of all its targets."""
    named: Callable[[list[str]], list[str]]
    named = runpy.run_path(str(PROJECT / "tinyml"))["targets_named_by"]
    assert named(["matrix"]) == list(target_names())
    assert named(["matrix", "target=nrf51,rp2040", "model=sine"]) == ["nrf51", "rp2040"]
    assert named(["target=nrf51", "test"]) == ["nrf51"]
    assert named([]) == ["host"]
