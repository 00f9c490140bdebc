"""SOFTMAX where TFLM stops the program: so many equal values that each result rounds to 0."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.combined import SANITIZED, Job, run_combined, target_or_skip
from tests.support.operator_cases import graph_of, oracle_bytes
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops._shared.cases.case import Case
from tinyml_rules.ops.softmax.cases import softmax
from tinyml_rules.ops.softmax.op import MAX_DEPTH


@pytest.mark.parametrize("depth", [512, 1000, MAX_DEPTH])
def test_equal_values(depth: int, tmp_path: Path) -> None:
    """1/512 of 256 is a tie, but already rounded down before: all results are -128, that is 0."""
    model = softmax((1, depth))
    case = Case(model, (np.full((1, 1, depth), 3, np.int8),))
    job = Job("wide", build_model(model), case.samples[0].tobytes())
    outputs = run_combined(target_or_skip(SANITIZED), [job], folder=tmp_path)
    assert set(np.frombuffer(outputs["wide"], np.int8).tolist()) == {-128}
    assert oracle_bytes(case, graph_of(case, name="model")) == outputs["wide"]
