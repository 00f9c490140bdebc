"""Windows of int16 row by row, into a reduction that takes rows in pieces: TFLM's bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.ops.test_cases import wrong_in_c
from tests.ops.test_int16_codec import VALID, Network
from tests.support.combined import SANITIZED
from tests.support.operator_cases import expected_bytes, file_of
from tinyml_rules.compiler import compile_model
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import int32s, random_case
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

REDUCTIONS = {"MEAN": (2.0**-15, 1.0), "SUM": (2.0**-8, 0.02)}
"""Each with the scale of its output, and the factor of SOFTMAX."""
SAME = {**VALID, "Padding": 0}
DENSE = {"DilationHFactor": 1, "DilationWFactor": 1}


def network(reduction: str) -> ModelSpec:
    """Twice the rows and half of them again, LOGISTIC, the reduction, SOFTMAX."""
    net = Network()
    image, narrow = (1, 14, 6, 4), 2.0**-15
    source, first = net.values((1, 14, 6, 3)), net.values((1, 14, 6, 5), 2.0**-10)
    net.add(
        "CONV_2D", (source, *net.weighted((5, 3, 3, 3), 2.0**-12, axis=0)), first, **SAME, **DENSE
    )
    shape, spread = net.tensor(int32s("shape", [1, 28, 12, 4])), net.values((1, 28, 12, 4), 2.0**-8)
    weights, _ = net.weighted((4, 3, 3, 5), 2.0**-10, axis=0)
    twice = {"Padding": 0, "StrideH": 2, "StrideW": 2, "FusedActivationFunction": 1}
    net.add("TRANSPOSE_CONV", (shape, weights, first), spread, **twice)
    second, curve = net.values(image, 2.0**-7), net.values(image, narrow)
    of_each = net.weighted((1, 3, 3, 4), 2.0**-8, axis=3)
    net.add(
        "DEPTHWISE_CONV_2D",
        (spread, *of_each),
        second,
        **{**twice, "FusedActivationFunction": 0},
        **DENSE,
        DepthMultiplier=1,
    )
    net.add("LOGISTIC", (second,), curve)
    scale, beta = REDUCTIONS[reduction]
    axes, reduced = net.tensor(int32s("axes", [1, 2])), net.values((1, 4), scale)
    net.add(reduction, (curve, axes), reduced, KeepDims=False)
    result = net.values((1, 4), narrow)
    net.add("SOFTMAX", (reduced,), result, Beta=beta)
    return ModelSpec(tuple(net.tensors), tuple(net.operators), (source,), (result,))


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_rows(reduction: str, tmp_path: Path) -> None:
    """A piece is a row, and its size is in values."""
    case = random_case(network(reduction))
    answers = np.frombuffer(expected_bytes(case), np.int16)
    assert len(np.unique(answers)) > answers.size / 2
    compiled = compile_model(Request(file_of(case), "net", load_target("host")))
    assert f"net_{reduction.lower()}_int16_rows_row(&" in compiled.files["net.c"]
    for target_name in (SANITIZED, "atmega1284p", "nrf52840"):
        folder = tmp_path / target_name
        folder.mkdir()
        assert not wrong_in_c({"net": case}, target_name, folder=folder)
