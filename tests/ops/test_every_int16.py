"""LOGISTIC and TANH of int16 for every input: numpy and C give TFLM's values."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from tests.ops.test_cases import wrong_in_c
from tests.support.combined import SANITIZED
from tests.support.operator_cases import expected_bytes, graph_of, oracle_bytes
from tinyml_rules.ops._shared.cases.case import Case
from tinyml_rules.ops._shared.cases.wide_sigmoids import SCALES, wide_map

WIDTH = 4096
EVERY = np.arange(-32768, 32768).astype(np.int16).reshape(-1, 1, WIDTH)


def cases(operator: str) -> Mapping[str, Case]:
    """Every value on every scale: powers of two, those near them, and others."""
    assert len(SCALES) > 15
    return {
        f"{operator}_{number}": Case(wide_map(operator.upper(), (1, WIDTH), scale=scale), (EVERY,))
        for number, scale in enumerate(SCALES)
    }


@pytest.mark.parametrize("operator", ["logistic", "tanh"])
def test_every_value(operator: str, tmp_path: Path) -> None:
    """The bytes are TFLM's, and the function rises from end to end of int16."""
    found = cases(operator)
    for name, case in found.items():
        assert oracle_bytes(case, graph_of(case, name="model")) == expected_bytes(case), name
    (steepest, _) = max(zip(found.values(), SCALES, strict=True), key=lambda each: each[1])
    results = np.frombuffer(expected_bytes(steepest), np.int16).astype(np.int32)
    assert np.diff(results).min() >= 0 and (results[0] < 2) and (results[-1] == 32767)
    assert not wrong_in_c(found, SANITIZED, folder=tmp_path)
