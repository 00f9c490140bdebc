"""With `rounding=litert` the integers are those of LiteRT's reference kernels, byte for byte: by
numpy, and by C on the host and on a target of each kind."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.ops.test_random_models import drawn
from tests.rounding.profiles import DIFFERING, compared, of_operator
from tests.support.combined import SANITIZED, Job, run_combined, target_or_skip
from tests.support.operator_cases import (
    agrees,
    file_of,
    graph_of,
    is_right,
    oracle_bytes,
    result_bytes,
    sample_bytes,
    samples_of,
)
from tinyml_rules.compiler import compile_model
from tinyml_rules.ir.rounding_reference import RoundingReference
from tinyml_rules.ops._shared.cases.case import Case
from tinyml_rules.request.request import Request, Weights
from tinyml_rules.runners.model import run_model

LITERT = RoundingReference.LITERT
RANDOM_MODELS = 12
"""Of each operator."""
RANDOM_GRAPHS = 12
KINDS = (
    *("atmega328", "atmega1284p", "nrf51", "lm3s6965", "nrf52840", "mps3_an547", "riscv32imc"),
    *("esp8266", "xtensa_lx6"),
)
"""A target for each set of kernels of FULLY_CONNECTED."""
OF_WEIGHTS = ("packed_per_axis", "packed_few_inputs", "lowest_zero_point", "int4_per_axis")
"""Cases of FULLY_CONNECTED in which the references differ."""

Known = Mapping[str, tuple[Case, bytes]]
"""Cases by name, with what LiteRT gives."""


def known(operator: str, *, names: tuple[str, ...] = ()) -> Known:
    """Of one operator, all or those with the names."""
    return {
        f"{operator}_{name}": (case, found)
        for name, case, found in of_operator(operator)
        if not names or name in names
    }


def telling(operator: str) -> tuple[str, ...]:
    """The cases in which TFLM gives something else."""
    return tuple(name for name, case, found in of_operator(operator) if not is_right(case, found))


def by_oracles(case: Case) -> bytes:
    """What the operators' meanings in numpy give."""
    graph = graph_of(case, name="model", reference=LITERT)
    return result_bytes(case, graph, oracle_bytes(case, graph))


def wrong_in_c(
    cases: Known, target_name: str, folder: Path, weights: Weights = Weights.FLASH
) -> list[str]:
    """Which differ, of those that fit the part."""
    jobs = [
        Job(
            name,
            file_of(case),
            sample_bytes(case, graph_of(case, name=name, reference=LITERT)),
            rounding=LITERT,
            weights=weights,
        )
        for name, (case, _) in cases.items()
    ]
    outputs = run_combined(target_or_skip(target_name), jobs, folder=folder)
    assert len(outputs) >= 0.8 * len(cases)
    return [name for name, each in outputs.items() if result_of(*cases[name], each) is None]


def result_of(case: Case, expected: bytes, output: bytes) -> bytes | None:
    """The output, if it is right."""
    found = result_bytes(case, graph_of(case, name="model", reference=LITERT), output)
    return found if agrees(case, found, expected) else None


@pytest.mark.parametrize("operator", DIFFERING)
def test_oracle(operator: str) -> None:
    """Every case, those in which both references agree included."""
    assert telling(operator)
    assert [
        name
        for name, (case, found) in known(operator).items()
        if not agrees(case, by_oracles(case), found)
    ] == []


@pytest.mark.parametrize("operator", DIFFERING)
def test_random_models(operator: str, tmp_path: Path) -> None:
    """Of one operator: numpy, and C on the host."""
    cases = {
        f"{operator}_{number}": case
        for number, case in enumerate(drawn(operator, count=RANDOM_MODELS, random_seed=2))
    }
    found = {name: (case, bytes_) for name, case, bytes_ in compared(cases)}
    assert len(found) >= RANDOM_MODELS // 4 or operator == "div"  # LiteRT refuses to divide by 0
    assert [
        name for name, (case, truth) in found.items() if not agrees(case, by_oracles(case), truth)
    ] == []
    assert wrong_in_c(found, SANITIZED, tmp_path) == [] or not found


def test_c(tmp_path: Path) -> None:
    """All cases of FULLY_CONNECTED, whose C is another, and of the others what tells the references
    apart, on the host under sanitizers."""
    cases = known("fully_connected")
    for operator in DIFFERING:
        cases = {**cases, **known(operator, names=telling(operator))}
    assert wrong_in_c(cases, SANITIZED, tmp_path) == []


@pytest.mark.parametrize("target_name", KINDS)
def test_targets(target_name: str, tmp_path: Path) -> None:
    """FULLY_CONNECTED by every kernel that can round so, and what tells the references apart."""
    cases = known("fully_connected", names=tuple(samples_of("fully_connected")))
    for operator in DIFFERING:
        cases = {**cases, **known(operator, names=telling(operator)[:2])}
    assert wrong_in_c(cases, target_name, tmp_path) == []


@pytest.mark.parametrize("target_name", ["atmega1284p", "nrf51"])
def test_packed_weights(target_name: str, tmp_path: Path) -> None:
    """In flash in fewer bytes, in either form."""
    cases = known("fully_connected", names=OF_WEIGHTS)
    assert wrong_in_c(cases, target_name, tmp_path, Weights.PACKED) == []


@pytest.mark.parametrize("name", OF_WEIGHTS)
def test_external_weights(name: str, tmp_path: Path) -> None:
    """In a file that an AVR reads."""
    ((case, expected),) = known("fully_connected", names=(name,)).values()
    target, graph = target_or_skip("atmega1284p"), graph_of(case, name="model", reference=LITERT)
    request = Request(
        file_of(case), "model", target, rounding=LITERT, weights=Weights.EXTERNAL, page_bytes=7
    )
    outcome = run_model(compile_model(request), target, sample_bytes(case, graph), folder=tmp_path)
    assert result_of(case, expected, outcome.output) is not None
