"""Remote execution on BuildGrid: every model on every target, compiled and tested by workers."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.bazel.builds import processes
from tests.bazel.remote_servers import ACTIONS_OF_A_PAIR, Clone, clone, serving
from tests.conftest import PROJECT, ZooModel
from tests.frontends.builds import SINE
from tinyml_rules.compiler import compile_model
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

TARGETS = 9
BUILD_FAILED, TESTS_FAILED = 1, 3
"""Bazel's exit statuses."""
ENDLESS = b"sleep\x0086399\x00"
"""The command line of the process that never ends."""


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Bazel's option that names a grid of two workers."""
    folder = tmp_path_factory.mktemp("grid") / "served"
    with serving("grid", folder, "--workers=2") as port:
        yield f"--remote_executor=grpc://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def models(zoo_model: ZooModel) -> dict[str, Path]:
    """Our own model."""
    return {"sine": zoo_model("sine")}


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A clone with the package of worker_cases in it."""
    made = clone(tmp_path_factory.mktemp("cases"))
    shutil.copytree(Path(__file__).parent / "worker_cases", made.workspace / "cases")
    return made


def clone_with(models: dict[str, Path], folder: Path) -> Clone:
    """A clone of the example in which these models are the matrix."""
    made = clone(folder)
    for name, file in models.items():
        shutil.copy(file, made.workspace / "models" / f"{name}.tflite")
        vectors = PROJECT / "models" / name / "vectors.npz"
        shutil.copy(vectors, made.workspace / "models" / f"{name}.npz")
    return made


def test_every_model_on_every_target(grid: str, models: dict[str, Path], tmp_path: Path) -> None:
    """The workers run every action and every test; for another clone, nobody runs any."""
    pairs = TARGETS * len(models)
    actions = ACTIONS_OF_A_PAIR * pairs
    first = clone_with(models, tmp_path / "first")
    done = first.bazel("test", "--config=grid", grid, "//...")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"Executed {pairs} out of {pairs} tests: {pairs} tests pass." in done.stdout
    assert first.runners() == Counter({"remote": actions})
    assert processes(done.stderr)["remote"] == actions
    check_generated_code(first)

    second = clone_with(models, tmp_path / "second")
    done = second.bazel("test", "--config=grid", grid, "//...")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"Executed 0 out of {pairs} tests: {pairs} tests pass." in done.stdout
    assert second.runners() == Counter({"remote cache hit": actions})
    assert second.outputs() == first.outputs()
    check_wrong_byte(first, grid)


def check_generated_code(made: Clone) -> None:
    """The C that came back over the network is that of a call in this process."""
    request = Request((SINE / "sine.tflite").read_bytes(), "sine_nrf52840", load_target("nrf52840"))
    outputs = made.outputs()
    compiled = compile_model(request)
    for name, text in compiled.texts.items():
        assert outputs[name] == text.encode(), name


def check_wrong_byte(made: Clone, grid: str) -> None:
    """One expected value is changed: only that test runs, it fails, and its log comes back."""
    vectors = made.workspace / "models" / "sine.npz"
    arrays = dict(np.load(vectors))
    arrays["sine/output"][7] += 1
    np.savez(vectors, allow_pickle=False, **arrays)
    test = "//:sine_atmega328_test"
    done = made.bazel("test", "--config=grid", grid, "--test_output=errors", test)
    assert done.returncode == TESTS_FAILED, done.stdout + done.stderr
    assert made.runners()["remote"] == 1
    assert "sine_atmega328 on atmega328: error: " in done.stdout


def test_worker_keeps_to_the_protocol(grid: str, cases: Clone) -> None:
    """Directories, links, modes, both streams, failures; and nothing that was not declared."""
    done = cases.bazel("build", "--config=grid", grid, "--keep_going", "//cases:all")
    assert done.returncode == BUILD_FAILED
    built = cases.workspace / "bazel-bin" / "cases"
    assert (built / "directory.out" / "link").readlink() == Path("deep/er/copy")
    assert (built / "reader.out").read_text(encoding="utf-8") == "declared\nran\n"
    assert (built / "undeclared.out").read_text(encoding="utf-8") == "bazel-out\nPWD\n"
    assert done.stdout == "to stdout\n" and "to stderr\n" in done.stderr
    assert "(Exit 5)" in done.stderr and "\nit is broken\n" in done.stderr
    assert "killed.out failed: (Killed)" in done.stderr
    assert "missing.out failed: (Exit 127)" in done.stderr
    assert "\n/usr/bin/no-such-compiler: No such file or directory (on the worker)\n" in done.stderr


def test_worker_ends_what_takes_too_long(grid: str, cases: Clone) -> None:
    """With the processes that it has started; the test counts as one that timed out."""
    done = cases.bazel("test", "--config=grid", grid, "--test_timeout=3", "//cases:endless_test")
    assert done.returncode == TESTS_FAILED, done.stdout + done.stderr
    assert "TIMEOUT" in done.stdout
    assert ENDLESS not in [file.read_bytes() for file in Path("/proc").glob("[0-9]*/cmdline")]
