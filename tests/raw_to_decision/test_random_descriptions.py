"""Random descriptions of a sensor and of decisions in C, next to fractions.

Some in every run; `./tinyml conformance sensors=1000` has as many as it is told, with a seed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.raw_to_decision.drawn import draw
from tests.raw_to_decision.judged import Written, faults_of
from tests.raw_to_decision.programs import (
    Case,
    case_of,
    run_on_host,
    run_on_part,
    write_program,
)
from tests.support.combined import SANITIZED, target_or_skip
from tinyml_rules.target.target import Target

PER_PROGRAM, PER_PART = 30, 5
"""Descriptions of one program, on a host and on a part, which has little memory."""
CHECKED = ("gcc", "-O2", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
PLAIN = (
    ("gcc", "-O2"),
    ("clang", "-O2"),
    ("gcc", "-O3"),
    ("clang", "-Os"),
    ("gcc", "-Os"),
    ("clang", "-O3"),
)
"""Where nothing watches, and what is undefined shows as it does in firmware; one a program, in
turn."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """As many tests as there are programs."""
    if "first" in metafunc.fixturenames:
        count = metafunc.config.getoption("--sensors")
        is_host = metafunc.config.getoption("--random-target") == SANITIZED
        size = PER_PROGRAM if is_host else PER_PART
        metafunc.parametrize("first", range(0, count, size))


@pytest.fixture
def part(request: pytest.FixtureRequest) -> str:
    """Where they run."""
    name: str = request.config.getoption("--random-target")
    return name


def test_random_descriptions(
    first: int, part: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Every value of the input's, of the output's and of all decisions; under sanitizers, and as a
    firmware's compiler has it."""
    target = target_or_skip("host" if part == SANITIZED else part)
    size = PER_PROGRAM if part == SANITIZED else PER_PART
    seed = request.config.getoption("--random-seed")
    last = min(first + size, request.config.getoption("--sensors"))
    cases = [case_of(draw(seed, number), target, tmp_path) for number in range(first, last)]
    for written in outputs(cases, target, part, first, tmp_path):
        wrong = {case.name: faults for case in cases if (faults := faults_of(case, written))}
        assert written.place == len(written.data)
        assert not wrong, {name: faults[:3] for name, faults in wrong.items()}


def outputs(
    cases: list[Case], target: Target, part: str, first: int, folder: Path
) -> list[Written]:
    """What the program writes, in each of its builds."""
    sources = write_program(cases, folder)
    data = b"".join(case.data for case in cases)
    if part != SANITIZED:
        return [Written(run_on_part(target, sources, data, folder))]
    plain = PLAIN[first // PER_PROGRAM % len(PLAIN)]
    return [Written(run_on_host(each, sources, data, folder)) for each in (CHECKED, plain)]
