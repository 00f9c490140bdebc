"""A case may say how far results may be from the reference's; one that does not asks for bytes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.ops.test_cases import wrong_in_c
from tests.support.combined import SANITIZED
from tests.support.operator_cases import (
    are_near,
    graph_of,
    is_right,
    oracle_bytes,
    result_bytes,
)
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import (
    AnyArray,
    Case,
    Tolerance,
    model_of,
    random_case,
    typed,
)

_UNIT = np.spacing(np.float32(1))
"""What float32 has between 1 and the next number."""


def _reals(*values: float) -> AnyArray:
    return np.array(values, np.float32)


def times(factor: float) -> ModelSpec:
    """A product of real numbers with a constant."""
    value = replace(typed("second", (1,), "float32"), data=_reals(factor))
    return model_of(
        "MUL",
        (typed("first", (1, 8), "float32"), value),
        typed("output", (1, 8), "float32"),
        options={"FusedActivationFunction": 0},
    )


def case_of(units: int, tolerance: Tolerance | None) -> Case:
    """A case whose reference multiplies with so many units more than the model does."""
    reference = times(1 + units * _UNIT)
    return replace(random_case(times(1)), stand_in=reference, tolerance=tolerance)


@pytest.mark.parametrize(
    ("units", "tolerance", "passes"),
    [
        (0, None, True),
        (1, None, False),
        (1, Tolerance(units=2), True),
        (64, Tolerance(units=2), False),
        (1, Tolerance(absolute=1e-2), True),
        (64, Tolerance(absolute=1e-9), False),
    ],
)
def test_case_with_a_tolerance(
    units: int, tolerance: Tolerance | None, passes: bool, tmp_path: Path
) -> None:
    """A small difference passes, in numpy and in C, and a larger one does not."""
    case = case_of(units, tolerance)
    graph = graph_of(case, name="model")
    assert is_right(case, result_bytes(case, graph, oracle_bytes(case, graph))) == passes
    assert wrong_in_c({"model": case}, SANITIZED, folder=tmp_path) == ([] if passes else ["model"])


@pytest.mark.parametrize(
    ("found", "expected", "is_near"),
    [
        (_reals(1 + 2 * _UNIT), _reals(1), True),
        (_reals(1 + 3 * _UNIT), _reals(1), False),
        (_reals(np.nan), _reals(np.nan), True),
        (_reals(np.nan), _reals(1), False),
        (_reals(np.inf), _reals(np.inf), True),
        (_reals(3e38), _reals(np.inf), False),
        (np.array([5], np.int8), np.array([3], np.int8), True),
        (np.array([-128], np.int8), np.array([127], np.int8), False),
    ],
)
def test_numbers(found: AnyArray, expected: AnyArray, is_near: bool) -> None:
    """Within two units in the last place, of integers too."""
    assert are_near(found, expected, Tolerance(units=2)) == is_near
