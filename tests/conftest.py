"""Options and fixtures of every test: where the models come from, and what a skip means."""

from __future__ import annotations

import gc
import os
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from models.zoo import OwnFile, RemoteFile, load_manifest, obtain
from tests.support.kept_objects import forget_the_oldest, run_kept
from tests.support.selection import is_quick, share_of
from tinyml_rules.errors import ToolError, UsageError
from tinyml_rules.ops import builtin_operators
from tinyml_rules.system import process

PROJECT = Path(__file__).parents[1]
MODELS_FOLDER = PROJECT / "models"
DOWNLOADS = PROJECT / "build" / "models"

settings.register_profile("any_load", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any_load")  # no test depends on what else the machine does

ZooModel = Callable[[str], Path]
ZooSample = Callable[[str, str], Path]


def pytest_addoption(parser: pytest.Parser) -> None:
    """The project's own options."""
    group = parser.getgroup("tinyml_rules")
    add_random_models(group)
    add_choice(group)
    group.addoption(
        "--models",
        type=Path,
        metavar="DIR",
        help="take models and samples from this folder instead of downloading them",
    )
    group.addoption(
        "--mutations",
        type=int,
        default=1000,
        metavar="COUNT",
        help="how many broken copies of models the reader is tried on (default: 1000)",
    )
    group.addoption(
        "--all-targets",
        action="store_true",
        help="the cases of every operator on every kind of target, whatever kernels it has",
    )
    group.addoption(
        "--write-pages",
        action="store_true",
        help="write today's figures into what the pages show of outputs",
    )
    group.addoption(
        "--fail-on-skip", action="store_true", help="a test that is skipped fails the run"
    )


def add_random_models(group: pytest.OptionGroup) -> None:
    """How many random models there are, which ones, and where they run."""
    group.addoption(
        "--examples",
        type=int,
        default=3,
        metavar="COUNT",
        help="how many random models to draw of every operator (default: 3)",
    )
    group.addoption(
        "--random-seed",
        type=int,
        default=1,
        metavar="NUMBER",
        help="which random models those are (default: 1)",
    )
    group.addoption(
        "--random-target",
        default="host_sanitized",
        metavar="TARGET",
        help="where their C runs (default: the host under sanitizers)",
    )


def add_choice(group: pytest.OptionGroup) -> None:
    """Which of the tests run, and of the random models."""
    group.addoption("--quick", action="store_true", help="the tests of `./tinyml check` alone")
    group.addoption(
        "--shard",
        type=_shard,
        default=(1, 1),
        metavar="I/N",
        help="one of N parts of the tests, whole modules where there are many",
    )
    group.addoption(
        "--operators",
        type=_known_operators,
        default=(),
        metavar="NAME,..",
        help="random models of these operators alone",
    )
    group.addoption(
        "--graphs",
        type=int,
        default=30,
        metavar="COUNT",
        help="how many random models of many operators there are (default: 30)",
    )
    group.addoption(
        "--variants",
        type=int,
        default=12,
        metavar="COUNT",
        help="how many such models with other options there are (default: 12)",
    )
    group.addoption(
        "--sensors",
        type=int,
        default=30,
        metavar="COUNT",
        help="how many random descriptions of sensors and decisions there are (default: 30)",
    )


def _known_operators(words: str) -> tuple[str, ...]:
    names = tuple(words.split(","))
    known = [op.name for op in builtin_operators().in_files]
    for name in names:
        if name not in known:
            raise ArgumentTypeError(f"unknown operator '{name}', expected one of {known}")
    return names


def _shard(words: str) -> tuple[int, int]:
    number, _, count = words.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise ArgumentTypeError(f"'{words}', expected I/N, such as 1/4")
    return int(number), int(count)


def pytest_configure() -> None:
    """Compilers run for what no run before has compiled; every Python that a test starts keeps its
    bytecode, as a user's does."""
    process.run_program = run_kept
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False


def pytest_collection_finish() -> None:
    """What is there by now stays, and is not searched for garbage again with each small model."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Of what is kept, the last used stays."""
    if not hasattr(session.config, "workerinput"):
        forget_the_oldest()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The quick tests alone, where they are asked for, and of these one shard."""
    if config.getoption("--quick"):
        left_out = {test for test in items if not is_quick(test)}
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [test for test in items if test not in left_out]
    number, count = config.getoption("--shard")
    if count > 1:
        mine = share_of([test.nodeid for test in items], number, count)
        items[:] = [test for test in items if test.nodeid in mine]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With --fail-on-skip, a skipped test becomes a failed one that says why."""
    report = yield
    # An expected failure (xfail) is reported as skipped too, but it did run.
    if item.config.getoption("--fail-on-skip") and not hasattr(report, "wasxfail"):
        _fail_if_skipped(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for a whole file that is skipped when it is imported."""
    report = yield
    if collector.config.getoption("--fail-on-skip"):
        _fail_if_skipped(report)
    return report


def _fail_if_skipped(report: pytest.TestReport | pytest.CollectReport) -> None:
    if report.outcome == "skipped":
        reason: Any = report.longrepr
        if isinstance(reason, tuple):  # (file, line, text)
            reason = reason[2]
        report.outcome = "failed"
        report.longrepr = f"{reason} (not allowed by --fail-on-skip)"


@pytest.fixture(scope="session")
def models_mirror(request: pytest.FixtureRequest) -> Path | None:
    """The folder given by --models, or None."""
    mirror: Path | None = request.config.getoption("--models")
    return mirror


@pytest.fixture(scope="session")
def zoo_model(models_mirror: Path | None) -> ZooModel:
    """A function from a model's name to its .tflite; skips the test when it cannot be had."""

    def path_of_model(name: str) -> Path:
        manifest = load_manifest(MODELS_FOLDER, name)
        return _obtain_or_skip(manifest.model, models_mirror)

    return path_of_model


@pytest.fixture(scope="session")
def zoo_sample(models_mirror: Path | None) -> ZooSample:
    """A function from a model's name and a sample's file name to that file; skips likewise."""

    def path_of_sample(name: str, file_name: str) -> Path:
        manifest = load_manifest(MODELS_FOLDER, name)
        files = {sample.file.name: sample.file for sample in manifest.demo.samples}
        return _obtain_or_skip(files[file_name], models_mirror)

    return path_of_sample


def _obtain_or_skip(file: OwnFile | RemoteFile, mirror: Path | None) -> Path:
    try:
        return obtain(file, mirror=mirror, cache=DOWNLOADS)
    except (UsageError, ToolError) as error:  # not there, or no network; a wrong hash still fails
        pytest.skip(str(error))
