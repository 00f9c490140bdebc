"""Every case of every operator: oracle and C on the host equal the reference, and so does C on the
emulators, with all cases where it may differ there, and with some elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.support.chosen_kernels import cases_worth_running
from tests.support.combined import (
    ONLY_PIECES,
    SANITIZED,
    Job,
    run_combined,
    target_or_skip,
    targets_of_each_kind,
    targets_of_own_pieces,
)
from tests.support.javascript import runner_for
from tests.support.operator_cases import (
    OPERATORS,
    cases_of,
    file_of,
    graph_of,
    is_right,
    oracle_bytes,
    rejected_of,
    result_bytes,
    sample_bytes,
    samples_of,
)
from tests.support.stages import checked
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ir.buffers import Scratch
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.rounding_reference import RoundingReference
from tinyml_rules.lower.choice import Choice, Optimize
from tinyml_rules.lower.select import select
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.cases.case import Case
from tinyml_rules.request.request import Weights
from tinyml_rules.target.target import load_target

PLACES = tuple(each.feature for each in Weights)
"""Where weights lie, and how."""
TARGETS = (*targets_of_each_kind(), SANITIZED)
GOALS = (Optimize.BALANCED, Optimize.SPEED)
FEATURES = {load_target(name).features | more for name in TARGETS[:-1] for more in PLACES}
SAMPLED = {
    "atmega1284p": (0, 1),
    **{name: (place, 3) for place, name in enumerate(("riscv32imc", "esp8266", "xtensa_lx6"))},
    **{name: (place, 3) for place, name in enumerate(("nrf51", "nrf52840", "mps3_an547"))},
}
"""Where a part of the cases runs, though the C is the same: the first of them, and one of how many.
All run where int is as narrow as nowhere else; the other compilers take turns, and so do Arm's
cores that differ most."""
CLAMPING = ("conv_2d", "depthwise_conv_2d", "fully_connected")
"""Operators that call what cores have pieces of their own for, but for the kernels of others."""
WIDENING = "_real_narrow"
"""The end of the names of kernels that only a model compiled with `dequantize` has, which
`tests/passes/test_widen_weights.py` runs."""
LEAST_SHARE = {"atmega328": 0.8, "atmega1284p": 0.8}
"""The share of the cases that have to fit; all of them elsewhere."""


@pytest.mark.parametrize("operator", OPERATORS)
def test_oracle(operator: str) -> None:
    """numpy's meaning of the operator is TFLM's, byte for byte where a case has no tolerance."""
    wrong = []
    for name, case in cases_of(operator).items():
        graph = graph_of(case, name="model")
        if not is_right(case, result_bytes(case, graph, oracle_bytes(case, graph))):
            wrong.append(name)
    assert not wrong


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every operator on the targets for which it may have C of its own."""
    if metafunc.function is test_c:
        is_everywhere = metafunc.config.getoption("--all-targets")
        pairs = [
            (target, operator)
            for operator in OPERATORS
            for target in (TARGETS if is_everywhere else targets_of(operator))
        ]
        metafunc.parametrize(("target_name", "operator"), pairs)


def targets_of(operator: str) -> Sequence[str]:
    """Those that a kernel is for which others do not have; elsewhere the C is the same, and
    `test_samples` has a part of the cases."""
    needs = [kernel.requires for kernel in builtin_operators()[operator].kernels if kernel.requires]
    return (*(name for name in TARGETS[:-1] if _has_any(name, needs)), SANITIZED)


@cache
def _features(target_name: str) -> frozenset[Feature]:
    return load_target(target_name).features


def _has_any(target_name: str, needs: Sequence[frozenset[Feature]]) -> bool:
    """Whether the target has all features of one of these."""
    features = _features(target_name)
    return any(each <= features for each in needs)


def test_c(operator: str, target_name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """The generated C gives the reference's bytes: that of all cases on the host, elsewhere of all
    with a kernel that others do not have, and of the samples."""
    is_everywhere = request.config.getoption("--all-targets")
    found = cases_of(operator) if is_everywhere else cases_worth_running(operator, target_name)
    cases = {f"{operator}_{name}": case for name, case in found.items()}
    assert not wrong_in_c(cases, target_name, folder=tmp_path)


@pytest.mark.parametrize("target_name", SAMPLED)
def test_samples(target_name: str, tmp_path: Path) -> None:
    """The same with some cases of every operator, in as few programs as they fit."""
    names = [
        (operator, name)
        for operator in OPERATORS
        if targets_of(operator) == (SANITIZED,)
        for name in samples_of(operator) or [*cases_of(operator)][:1]
    ]
    first, step = SAMPLED[target_name]
    cases = {
        f"{operator}_{name}": cases_of(operator)[name] for operator, name in names[first::step]
    }
    assert not wrong_in_c(cases, target_name, folder=tmp_path)


@pytest.mark.parametrize("target_name", targets_of_own_pieces())
def test_own_pieces(target_name: str, tmp_path: Path) -> None:
    """The same with some cases of operators that call them, where the kernels are another's."""
    cases = {
        f"{operator}_{name}": cases_of(operator)[name]
        for operator in CLAMPING
        for name in samples_of(operator)
    }
    assert not wrong_in_c(cases, target_name, folder=tmp_path)


def test_no_kernel_is_for_pieces() -> None:
    """None asks for a feature that is for pieces alone: or its target would be one of the kinds."""
    kernels = [kernel for op in builtin_operators().values() for kernel in op.kernels]
    assert not [each.name for each in kernels if (each.requires | each.excludes) & ONLY_PIECES]


def wrong_in_c(
    cases: Mapping[str, Case],
    target_name: str,
    *,
    folder: Path,
    optimize: Optimize = Optimize.LAYERS,
) -> list[str]:
    """Which of the cases give other bytes than the reference, of those that fit the part."""
    graphs = {name: graph_of(case, name="model") for name, case in cases.items()}
    jobs = [
        Job(
            name,
            file_of(case),
            sample_bytes(case, graphs[name]),
            is_sequence=case.is_sequence,
            optimize=optimize,
        )
        for name, case in cases.items()
    ]
    with patch("tests.support.combined.run_image", runner_for(target_name)):
        outputs = run_combined(target_or_skip(target_name), jobs, folder=folder)
    assert len(outputs) >= LEAST_SHARE.get(target_name, 1.0) * len(cases)
    return [
        name
        for name, output in outputs.items()
        if not is_right(cases[name], result_bytes(cases[name], graphs[name], output))
    ]


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_kernel_is_used(operator: str) -> None:
    """On some target, some case chooses each kernel of the operator, for one goal or another."""
    requires = {each.name: each.requires for each in builtin_operators()[operator].kernels}
    unused = {name for name in requires if not name.endswith(WIDENING)}
    first = samples_of(operator)  # which should have all of them
    names = dict.fromkeys((*first, *cases_of(operator)))
    for name, reference in product(names, RoundingReference):
        case = cases_of(operator)[name]
        if not unused:
            break
        try:
            graph = graph_of(case, name="model", reference=reference)
        except UnsupportedError:
            assert reference is not RoundingReference.TFLM
            continue
        memory = {number: Scratch(1) for number in range(1, 1 + len(graph.others))}
        for features, goal in product(FEATURES, GOALS):
            if not any(requires[each] <= features for each in unused):
                continue
            choice = Choice(goal)
            program = select(graph, features, builtin_operators(), memory, choice=choice)
            unused -= {step.kernel.name for step in program.steps}
    assert not unused


@pytest.mark.parametrize(
    ("operator", "name"),
    [(operator, name) for operator in OPERATORS for name in rejected_of(operator)],
)
def test_rejected(operator: str, name: str) -> None:
    """The error has exactly these texts."""
    rejected = rejected_of(operator)[name]
    with pytest.raises(UnsupportedError) as caught:
        checked(rejected.model)
    problems = caught.value.problems
    assert [problem.what for problem in problems] == list(rejected.errors)
    assert {problem.where for problem in problems} == {f"model: node 0 ({operator})"}
