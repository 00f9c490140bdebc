"""Models of one operator, drawn over all that it takes: oracle and C equal the reference.

A few of them in every run; `./tinyml conformance` draws as many as it is told, with a seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.ops.test_cases import wrong_in_c
from tests.support.operator_cases import (
    OPERATORS,
    graph_of,
    is_right,
    models_of,
    oracle_bytes,
    result_bytes,
)
from tinyml_rules.ops._shared.cases.case import Case

SETTINGS = settings(database=None, suppress_health_check=[*HealthCheck])
PER_IMAGE = 100
"""Models that are compiled into one program."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each operator that draws models, or those that were asked for."""
    if "operator" in metafunc.fixturenames:
        metafunc.parametrize("operator", metafunc.config.getoption("--operators") or OPERATORS)


@pytest.fixture
def examples(request: pytest.FixtureRequest) -> int:
    """How many models to draw of an operator."""
    count: int = request.config.getoption("--examples")
    return count


@pytest.fixture
def random_seed(request: pytest.FixtureRequest) -> int:
    """What makes other models of the same strategies."""
    number: int = request.config.getoption("--random-seed")
    return number


@pytest.fixture
def target_name(request: pytest.FixtureRequest) -> str:
    """Where the C runs."""
    name: str = request.config.getoption("--random-target")
    return name


def test_oracle(operator: str, examples: int, random_seed: int) -> None:
    """numpy's meaning is the reference's; the smallest model that differs is shown."""

    @seed(random_seed)
    @settings(max_examples=examples, database=None, suppress_health_check=[*HealthCheck])
    @given(models_of(operator))
    def compare(case: Case) -> None:
        graph = graph_of(case, name="model")
        assert is_right(case, result_bytes(case, graph, oracle_bytes(case, graph)))

    compare()


def drawn(operator: str, *, count: int, random_seed: int) -> list[Case]:
    """So many cases of an operator."""
    found: list[Case] = []

    @seed(random_seed)
    @settings(SETTINGS, max_examples=count, phases=[Phase.generate])
    @given(models_of(operator))
    def collect(case: Case) -> None:
        found.append(case)

    collect()
    return found


def images(cases: list[Case]) -> Iterator[dict[str, Case]]:
    """Cases by name, as many as one program may have."""
    for begin in range(0, len(cases), PER_IMAGE):
        part = cases[begin : begin + PER_IMAGE]
        yield {f"model_{begin + place}": case for place, case in enumerate(part)}


def test_c(
    operator: str, examples: int, random_seed: int, target_name: str, tmp_path: Path
) -> None:
    """The generated C gives the reference's bytes."""
    for cases in images(drawn(operator, count=examples, random_seed=random_seed)):
        wrong = wrong_in_c(cases, target_name, folder=tmp_path)
        assert not [repr(cases[name].model) for name in wrong]
