"""Every operator with its constants in an image: no kernel takes them from elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.combined import SANITIZED, Job, run_combined, target_or_skip
from tests.support.operator_cases import (
    OPERATORS,
    cases_of,
    file_of,
    graph_of,
    is_right,
    result_bytes,
    sample_bytes,
    samples_of,
)
from tinyml_rules.request.request import Weights

TARGETS = {SANITIZED: 1, "atmega1284p": 1, "nrf52840": 3}
"""Structs that were in flash are in RAM, and tables are where pointers say: where the compiler is
another but pointers are as on the host, one case of three."""


@pytest.mark.parametrize("target_name", TARGETS)
def test_samples(target_name: str, tmp_path: Path) -> None:
    """Some cases of every operator give the reference's bytes."""
    cases = {
        f"{operator}_{name}": cases_of(operator)[name]
        for operator in OPERATORS
        for name in samples_of(operator)
    }
    cases = dict([*cases.items()][:: TARGETS[target_name]])
    graphs = {name: graph_of(case, name=name) for name, case in cases.items()}
    jobs = [
        Job(
            name,
            file_of(case),
            sample_bytes(case, graphs[name]),
            is_sequence=case.is_sequence,
            weights=Weights.PARTITION,
        )
        for name, case in cases.items()
    ]
    outputs = run_combined(target_or_skip(target_name), jobs, folder=tmp_path)
    assert len(outputs) >= 0.8 * len(cases)
    wrong = [
        name
        for name, output in outputs.items()
        if not is_right(cases[name], result_bytes(cases[name], graphs[name], output))
    ]
    assert not wrong
