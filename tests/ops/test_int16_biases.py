"""The type of the bias of an int16 layer decides how it rounds: int32 and int64 give other bytes
for the same numbers, each TFLM's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.ops.test_cases import wrong_in_c
from tests.support.combined import SANITIZED
from tests.support.operator_cases import cases_of, expected_bytes, graph_of, oracle_bytes
from tests.support.stages import checked
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ops._shared.cases.case import random_case, with_tensor
from tinyml_rules.ops._shared.cases.int16x8 import in_16_bits

LAYERS = {"conv_2d": "same", "fully_connected": "per_axis"}


@pytest.mark.parametrize("operator", LAYERS)
def test_types_differ(operator: str, tmp_path: Path) -> None:
    """Equal constants, scales and inputs."""
    model = cases_of(operator)[LAYERS[operator]].model
    found = {
        f"{operator}_{bias}": random_case(in_16_bits(model, bias=bias))
        for bias in ("int32", "int64")
    }
    first, second = (np.asarray(each.model.tensors[2].data) for each in found.values())
    np.testing.assert_array_equal(first, second)
    assert len({expected_bytes(case) for case in found.values()}) == len(found)
    for case in found.values():
        assert oracle_bytes(case, graph_of(case, name="model")) == expected_bytes(case)
    assert not wrong_in_c(found, SANITIZED, folder=tmp_path)


@pytest.mark.parametrize(
    ("operator", "name", "expected"),
    [
        ("conv_2d", "same", "int64 or int32"),
        ("fully_connected", "per_axis", "int64 or int32"),
        ("depthwise_conv_2d", "same", "int64"),
    ],
)
def test_third_type(operator: str, name: str, expected: str) -> None:
    """One line that says what the bias is, and what it can be."""
    model = in_16_bits(cases_of(operator)[name].model)
    bias = np.asarray(model.tensors[2].data)
    changed = with_tensor(model, 2, dtype="int16", data=bias.clip(-9, 9).astype(np.int16))
    with pytest.raises(UnsupportedError) as caught:
        checked(changed)
    (problem,) = caught.value.problems
    assert problem.what == f"bias tensor #2 'bias' is int16, expected {expected}"


@pytest.mark.parametrize("operator", ["conv_2d", "depthwise_conv_2d", "fully_connected"])
@pytest.mark.parametrize(("place", "name"), [(0, "input"), (3, "output")])
def test_zero_point(operator: str, place: int, name: str) -> None:
    """int16 has none."""
    case = {"conv_2d": "same", "depthwise_conv_2d": "same"}.get(operator, "per_axis")
    model = with_tensor(in_16_bits(cases_of(operator)[case].model), place, zero_points=(3,))
    with pytest.raises(UnsupportedError) as caught:
        checked(model)
    (problem,) = caught.value.problems
    assert problem.what == f"{name} tensor #{place} '{name}' has zero point 3, expected 0"
