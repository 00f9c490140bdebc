"""`./tinyml conformance`: its words become pytest's, and shards share out the tests."""

from __future__ import annotations

import subprocess
import sys

import pytest

from requirements.checks import conformance, conformance_command
from tests.conftest import PROJECT
from tests.support.selection import share_of

MODELS, GRAPHS = "tests/ops/test_random_models.py", "tests/graphs/test_random_graphs.py"
VARIANTS = "tests/graphs/test_covered_options.py"
SENSORS = "tests/raw_to_decision/test_random_descriptions.py"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            [],
            [
                *(MODELS, GRAPHS, VARIANTS, SENSORS),
                *("--examples=200", "--graphs=200", "--variants=200", "--sensors=200"),
            ],
        ),
        (["operators=relu,add"], [MODELS, "--operators=relu,add", "--examples=200"]),
        (["graphs=1000", "seed=3"], [GRAPHS, "--graphs=1000", "--random-seed=3"]),
        (["sensors=1000", "seed=3"], [SENSORS, "--sensors=1000", "--random-seed=3"]),
        (["variants=90", "target=nrf51"], [VARIANTS, "--variants=90", "--random-target=nrf51"]),
        (["mutations=9000"], ["tests/model_file/test_malformed.py", "--mutations=9000"]),
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
def test_words(words: list[str], expected: list[str]) -> None:
    """What is named runs; nothing named is every kind."""
    assert conformance_command(words) == expected
    for file in (MODELS, GRAPHS, VARIANTS, SENSORS):
        assert (PROJECT / file).is_file()


@pytest.mark.parametrize("word", ["operator=relu", "examples", "seed=", "-x"])
def test_unknown_word(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is set up for it."""
    assert conformance([word], []) == 3
    expected = (
        "operators, examples, graphs, variants, sensors, mutations, seed, shard, target and a value"
    )
    assert capsys.readouterr().err == f"tinyml: error: unknown '{word}', expected {expected}\n"


def collected(*options: str) -> tuple[list[str], str]:
    """The tests that would run, and what pytest says of an error."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--collect-only"]
    done = subprocess.run(
        [*command, *options, MODELS], cwd=PROJECT, capture_output=True, text=True, check=False
    )
    return [line for line in done.stdout.splitlines() if "::" in line], done.stderr


@pytest.mark.parametrize("modules", [2, 40])
def test_shards_are_a_partition(modules: int) -> None:
    """Each test is in one shard, and a module is whole where there are many."""
    every = [f"tests/m{i}.py::test_{j}" for i in range(modules) for j in range(1 + i % 7)]
    shards = [share_of(every, number, 3) for number in (1, 2, 3)]
    assert sorted(test for shard in shards for test in shard) == sorted(every)
    assert max(map(len, shards)) - min(map(len, shards)) <= 7
    homes = [{test.partition("::")[0] for test in shard} for shard in shards]
    assert (sum(map(len, homes)) == modules) == (modules == 40)


def test_a_shard_alone() -> None:
    """Of one module, every third test."""
    every, _ = collected()
    assert len(every) > 3
    assert collected("--shard=2/3")[0] == every[1::3]


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
