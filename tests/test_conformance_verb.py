"""`./tinyml conformance`: its words become pytest's, and shards share out the tests."""

from __future__ import annotations

import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from types import ModuleType

import pytest

from tests.conftest import PROJECT


@pytest.fixture(scope="module")
def set_up_script() -> ModuleType:
    """The file `tinyml` as a module."""
    spec = spec_from_loader(
        "tinyml_verbs", SourceFileLoader("tinyml_verbs", str(PROJECT / "tinyml"))
    )
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MODELS, GRAPHS = "tests/ops/test_random_models.py", "tests/graphs/test_random_graphs.py"
SENSORS = "tests/raw_to_decision/test_random_descriptions.py"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], [MODELS, GRAPHS, SENSORS, "--examples=200", "--graphs=200", "--sensors=200"]),
        (["operators=relu,add"], [MODELS, "--operators=relu,add", "--examples=200"]),
        (["graphs=1000", "seed=3"], [GRAPHS, "--graphs=1000", "--random-seed=3"]),
        (["sensors=1000", "seed=3"], [SENSORS, "--sensors=1000", "--random-seed=3"]),
        (
            ["sensors=60", "operators=relu"],
            [MODELS, SENSORS, "--sensors=60", "--operators=relu", "--examples=200"],
        ),
        (
            ["examples=5", "graphs=6", "shard=1/4", "target=nrf52840"],
            [
                MODELS,
                GRAPHS,
                "--examples=5",
                "--graphs=6",
                "--shard=1/4",
                "--random-target=nrf52840",
            ],
        ),
    ],
)
def test_words(words: list[str], expected: list[str], set_up_script: ModuleType) -> None:
    """What is named runs; nothing named is every kind."""
    assert set_up_script.conformance_command(words) == expected
    for file in (MODELS, GRAPHS, SENSORS):
        assert (PROJECT / file).is_file()


@pytest.mark.parametrize("word", ["operator=relu", "examples", "seed=", "-x"])
def test_unknown_word(
    word: str, set_up_script: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is set up for it."""
    assert set_up_script.conformance([word]) == 3
    expected = "operators, examples, graphs, sensors, seed, shard, target and a value"
    assert capsys.readouterr().err == f"tinyml: error: unknown '{word}', expected {expected}\n"


def collected(*options: str) -> tuple[list[str], str]:
    """The tests that would run, and what pytest says of an error."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--collect-only"]
    done = subprocess.run(
        [*command, *options, MODELS], cwd=PROJECT, capture_output=True, text=True, check=False
    )
    return [line for line in done.stdout.splitlines() if "::" in line], done.stderr


def test_shards_are_a_partition() -> None:
    """Each test is in one of them."""
    every, _ = collected()
    shards = [test for number in (1, 2, 3) for test in collected(f"--shard={number}/3")[0]]
    assert len(every) > 3
    assert sorted(shards) == sorted(every)


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ("--shard=0/4", "'0/4', expected I/N, such as 1/4"),
        ("--shard=5/4", "'5/4', expected I/N, such as 1/4"),
        ("--shard=2", "'2', expected I/N, such as 1/4"),
        ("--operators=relu,rellu", "unknown operator 'rellu', expected one of"),
    ],
)
def test_wrong_value(option: str, text: str) -> None:
    """Told before there is any test."""
    tests, error = collected(option)
    assert tests == []
    assert text in error


def test_named_operators_alone() -> None:
    """Two tests of each."""
    tests, _ = collected("--operators=relu,pad")
    assert [test.partition("[")[2] for test in tests] == ["relu]", "pad]"] * 2
