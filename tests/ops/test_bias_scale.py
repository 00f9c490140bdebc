"""A bias is added to the sums as it is, so it has to be in their scale, or it is refused.

TFLM looks at it in a FULLY_CONNECTED whose weights have one scale, and nowhere else; the 8-bit
specification has one rule for all.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.support.operator_cases import graph_of, is_right, oracle_bytes, result_bytes
from tests.support.stages import checked
from tests.support.tflm import tflm_outputs
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops._shared.cases.case import random_case, with_tensor
from tinyml_rules.ops._shared.cases.weighted import OUTPUT_SCALE
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.depthwise_conv_2d.cases import depthwise
from tinyml_rules.ops.fully_connected.cases import dense

Make = Callable[..., ModelSpec]

BIAS, RESULT = 2, 3
DIFFERENCES = (0.0, 1e-9, 0.0199, -0.0001, 0.0201, 0.5, 123.0)
"""Of the bias's scale from that of the sums, in steps of the output."""


def is_accepted(model: ModelSpec) -> bool:
    """Whether this compiler takes it."""
    try:
        checked(model)
    except UnsupportedError:
        return False
    return True


def runs_in_tflm(model: ModelSpec) -> bool:
    """Whether TFLM takes it."""
    case = random_case(model)
    try:
        tflm_outputs(build_model(model), case.samples)
    except RuntimeError:
        return False
    return True


def off_by(model: ModelSpec, difference: float) -> ModelSpec:
    """The model with a bias whose scales differ by so many steps of the output."""
    scales = tuple(scale + difference * OUTPUT_SCALE for scale in model.tensors[BIAS].scales)
    return with_tensor(model, BIAS, scales=scales)


def without_scale(model: ModelSpec) -> ModelSpec:
    """The model with a bias that says nothing of its scale."""
    return with_tensor(model, BIAS, scales=(), zero_points=())


@pytest.mark.parametrize("difference", DIFFERENCES)
def test_per_tensor_fully_connected_is_judged_as_by_tflm(difference: float) -> None:
    """Whatever the values of the bias, zeros included."""
    for bias_size in (5000, 0):
        model = off_by(dense(bias_size=bias_size), difference)
        assert is_accepted(model) == runs_in_tflm(model) == (difference < 0.02)


@pytest.mark.parametrize("result_scale", [OUTPUT_SCALE, 0.01])
def test_per_tensor_fully_connected_needs_a_scale_where_tflm_does(result_scale: float) -> None:
    """One that is left out counts as 0."""
    model = with_tensor(without_scale(dense()), RESULT, scales=(result_scale,))
    assert is_accepted(model) == runs_in_tflm(model) == (result_scale == OUTPUT_SCALE)


@pytest.mark.parametrize("difference", DIFFERENCES)
@pytest.mark.parametrize("make", [conv, depthwise, dense])
def test_rule_of_the_specification_holds_per_axis(make: Make, difference: float) -> None:
    """With the same tolerance; TFLM runs all of them, and what is accepted gives its bytes."""
    model = off_by(make(is_per_axis=True), difference)
    assert is_accepted(model) == (difference < 0.02)
    if difference < 0.02:
        case = random_case(model)
        graph = graph_of(case, name="model")
        assert is_right(case, result_bytes(case, graph, oracle_bytes(case, graph)))


@pytest.mark.parametrize("make", [conv, depthwise])
def test_bias_that_says_nothing_is_accepted(make: Make) -> None:
    """No scale at all, or that of zeros, which TFLM runs too."""
    zeros = off_by(make(bias_size=0, is_per_axis=False), 0.5)
    for model in (zeros, without_scale(make())):
        assert is_accepted(model)
        assert runs_in_tflm(model)


@pytest.mark.parametrize(
    ("model", "error"),
    [
        (
            with_tensor(dense(), BIAS, scales=(123.0,)),
            "node 0 (fully_connected): error: bias tensor #2 'bias' has scale 123 for output 0, "
            "expected 0.00131762, the product of the scales of input and weights",
        ),
        (
            with_tensor(conv(), BIAS, scales=(0.5, 0.5, 0.5), data=np.array([0, 1, 0], np.int32)),
            "node 0 (conv_2d): error: bias tensor #2 'bias' has scale 0.5 for output 1, "
            "expected 0.00122762, the product of the scales of input and weights",
        ),
        (
            with_tensor(depthwise(), BIAS, zero_points=(0, 7, 0)),
            "node 0 (depthwise_conv_2d): error: bias tensor #2 'bias' has zero point 7, expected 0",
        ),
    ],
    ids=["fully_connected", "conv_2d", "depthwise_conv_2d"],
)
def test_error(model: ModelSpec, error: str) -> None:
    """It names the tensor, what it has and what it should have."""
    with pytest.raises(UnsupportedError) as caught:
        checked(model)
    assert str(caught.value) == f"model: {error}"
