"""Random graphs of all operators give TFLM's bytes: numpy, and C in every schedule and arena.

Some in every run; `./tinyml conformance graphs=1000` has as many as it is told, with a seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.plan.together import Variant, outputs_of
from tests.support.combined import SANITIZED, Job, run_combined, target_or_skip
from tests.support.dead_channels import deadened
from tests.support.host import host
from tests.support.operator_cases import (
    file_of,
    graph_of,
    is_right,
    oracle_bytes,
    result_bytes,
    sample_bytes,
)
from tests.support.random_graphs import FAMILIES, WITHOUT_GRAPHS, random_graph
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.cases.case import Case, random_case
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.request.request import Request

FEWEST_NODES, MOST_NODES = 5, 40
PER_TEST = 10
HAVE_DEAD_CHANNELS = (1, 2)
"""Of four graphs: rows of weights that are all 0, saturated sums, channels that nobody uses."""
OF_INT16 = 3
"""Of four graphs."""
SCHEDULES = ((Mode.LAYER, False), (Mode.AUTO, False), (Mode.AUTO, True), (Mode.STREAM, False))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """As many tests as there are tens of graphs."""
    if "first" in metafunc.fixturenames:
        count = metafunc.config.getoption("--graphs")
        metafunc.parametrize("first", range(0, count, PER_TEST))


@pytest.fixture
def cases(first: int, request: pytest.FixtureRequest) -> dict[str, Case]:
    """The graphs of a test, by name."""
    seed: int = request.config.getoption("--random-seed")
    last: int = min(first + PER_TEST, request.config.getoption("--graphs"))
    found = {}
    for number in range(first, last):
        nodes = FEWEST_NODES + number % (MOST_NODES - FEWEST_NODES + 1)
        dtype = "int16" if number % 4 == OF_INT16 else "int8"
        model = random_graph((seed, number), node_count=nodes, dtype=dtype)
        if number % 4 in HAVE_DEAD_CHANNELS:
            model = deadened(model, np.random.default_rng((seed, number)))
        found[f"graph_{seed}_{number}"] = random_case(model, seed=number)
    return found


def test_oracles(cases: dict[str, Case]) -> None:
    """The operators' meanings in numpy, after the passes."""
    wrong = []
    for name, case in cases.items():
        graph = graph_of(case, name=name)
        if not is_right(case, result_bytes(case, graph, oracle_bytes(case, graph))):
            wrong.append(name)
    assert wrong == []


def variants(number: int, name: str, case: Case) -> Iterator[Variant]:
    """Every schedule that there is, in one arena each; every second graph is a checked build."""
    samples = sample_bytes(case, graph_of(case, name=name))
    for place, (mode, is_pushed) in enumerate(SCHEDULES):
        request = Request(
            file_of(case),
            f"{name}_{mode}_{'pushed' if is_pushed else 'whole'}",
            host(),
            schedule=mode,
            push_rows=is_pushed,
            checked=number % 2 == 1,
            arena=list(ArenaMode)[(number + place) % 3],
        )
        try:
            compiled = compile_model(request)
        except UnsupportedError:
            assert is_pushed
            continue
        assert len(compiled.documents) == 2, "they are made of any graph"
        yield Variant(compiled, len(case.samples[0]), samples, b"")


def test_c(cases: dict[str, Case], request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """In every schedule under sanitizers, or on a target as it is compiled by default."""
    target: str = request.config.getoption("--random-target")
    found = (in_every_schedule if target == SANITIZED else on_target)(cases, target, tmp_path)
    wrong = []
    for name, (case, output) in found.items():
        if not is_right(case, result_bytes(case, graph_of(case, name=name), output)):
            wrong.append(name)
    assert wrong == []


Outputs = dict[str, tuple[Case, bytes]]
"""What C made of each graph, by a name for the graph and how it was compiled."""


def in_every_schedule(cases: dict[str, Case], _target: str, folder: Path) -> Outputs:
    """All of them in one program."""
    made = [
        (case, variant)
        for number, (name, case) in enumerate(cases.items())
        for variant in variants(number, name, case)
    ]
    outputs = outputs_of([variant for _, variant in made], folder)
    return {variant.name: (case, outputs[variant.name]) for case, variant in made}


def on_target(cases: dict[str, Case], target: str, folder: Path) -> Outputs:
    """Those that fit the part."""
    jobs = [
        Job(name, file_of(case), sample_bytes(case, graph_of(case, name=name)))
        for name, case in cases.items()
    ]
    outputs = run_combined(target_or_skip(target), jobs, folder=folder)
    return {name: (cases[name], output) for name, output in outputs.items()}


def test_every_operator_is_in_a_family() -> None:
    """Or there is a reason; custom operators are named by their files alone."""
    named = {name for names in FAMILIES.values() for name in names}
    assert not named & WITHOUT_GRAPHS.keys()
    operators = {op.name.upper() for op in builtin_operators().in_files if not op.custom_name}
    assert operators - named - WITHOUT_GRAPHS.keys() == set()
