"""Every check of the reader on what a model says, with its message."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.model_file.small import MODEL, operators, relu
from tests.support.stages import read
from tinyml_rules.errors import ModelError
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec
from tinyml_rules.ops._shared.cases.case import with_tensor

BROKEN: dict[str, tuple[ModelSpec, str]] = {
    "schema version": (replace(MODEL, version=2), "schema version 2, expected 3"),
    "rank": (
        with_tensor(MODEL, 0, shape=(1,) * 9),
        "tensor #0 'input' has 9 dimensions, expected at most 8",
    ),
    "negative dimension": (
        with_tensor(MODEL, 0, shape=(-1, 10)),
        "tensor #0 'input' has shape [-1, 10], expected no negative dimension",
    ),
    "too large": (
        with_tensor(MODEL, 0, shape=(2**12, 2**12 + 1)),
        "tensor #0 'input' has shape [4096, 4097], which is too large",
    ),
    "too large for 64 bits": (
        with_tensor(MODEL, 0, shape=(2**31 - 1,) * 4),
        "tensor #0 'input' has shape [2147483647, 2147483647, 2147483647, 2147483647], "
        "which is too large",
    ),
    "zero points": (
        with_tensor(MODEL, 0, scales=(1.0, 1.0, 1.0), zero_points=(0, 0)),
        "tensor #0 'input' has 3 scales but 2 zero points",
    ),
    **{
        f"scale of {scale}": (
            with_tensor(MODEL, 0, scales=(scale,)),
            "tensor #0 'input' has a scale that is not a positive number",
        )
        for scale in (-1.0, float("inf"), float("nan"))
    },
    "scale of 0 of an input": (
        with_tensor(MODEL, 0, scales=(0.0,)),
        "tensor #0 'input' has scale 0, which only constants of zeros may have",
    ),
    "scale of 0 of weights": (
        with_tensor(MODEL, 1, scales=(0.0,)),
        "tensor #1 'weights' has scale 0, which only constants of zeros may have",
    ),
    "zero point too large": (
        with_tensor(MODEL, 0, zero_points=(128,)),
        "tensor #0 'input' has a zero point outside int8",
    ),
    "zero point too small": (
        with_tensor(MODEL, 0, dtype="uint8", zero_points=(-1,)),
        "tensor #0 'input' has a zero point outside uint8",
    ),
    "quantized dimension": (
        with_tensor(MODEL, 1, scales=(1.0,) * 6, zero_points=(0,) * 6, axis=2),
        "tensor #1 'weights' is quantized along dimension 2 of 2",
    ),
    "negative quantized dimension": (
        with_tensor(MODEL, 1, scales=(1.0,) * 6, zero_points=(0,) * 6, axis=-1),
        "tensor #1 'weights' is quantized along dimension -1 of 2",
    ),
    "number of scales": (
        with_tensor(MODEL, 1, scales=(1.0,) * 6, zero_points=(0,) * 6, axis=1),
        "tensor #1 'weights' has 6 scales along dimension 1, which has 10 slices",
    ),
    "scales of a scalar": (
        with_tensor(MODEL, 0, shape=(), scales=(1.0, 1.0), zero_points=(0, 0)),
        "tensor #0 'input' is quantized along dimension 0 of 0",
    ),
    "short buffer": (
        with_tensor(MODEL, 1, data=bytes(59)),
        "tensor #1 'weights' needs 60 bytes, but its buffer has 59",
    ),
    "long buffer": (
        with_tensor(MODEL, 2, data=bytes(28)),
        "tensor #2 'bias' needs 24 bytes, but its buffer has 28",
    ),
    "options of another operator": (
        operators(OperatorSpec("ADD", (0, 0), (3,), {"Padding": 1}, "Conv2DOptions")),
        "node 0 (add) has options of another operator (type 1)",
    ),
    "options of an operator without": (
        operators(OperatorSpec("RELU", (0,), (3,), {}, "AddOptions")),
        "node 0 (relu) has options of another operator (type 11)",
    ),
    "input tensor": (operators(relu(4, 3)), "node 0 (relu) has input tensor #4 of 4"),
    "negative input": (operators(relu(-2, 3)), "node 0 (relu) has input tensor #-2 of 4"),
    "output tensor": (operators(relu(0, 77)), "node 0 (relu) has output tensor #77 of 4"),
    "output left out": (operators(relu(0, -1)), "node 0 (relu) has output tensor #-1 of 4"),
    "model input": (replace(MODEL, inputs=(4,)), "the model has input tensor #4 of 4"),
    "model input left out": (replace(MODEL, inputs=(-1,)), "the model has input tensor #-1 of 4"),
    "model output": (replace(MODEL, outputs=(9,)), "the model has output tensor #9 of 4"),
    "no input": (replace(MODEL, inputs=()), "no input"),
    "no output": (replace(MODEL, outputs=()), "no output"),
    "input twice": (replace(MODEL, inputs=(0, 0)), "the same tensor is an input twice"),
    "output never written": (
        with_tensor(operators(relu(0, 3), outputs=(2,)), 2, data=None),
        "output tensor #2 'bias' is never written",
    ),
}
IN_NODE: dict[str, tuple[ModelSpec, str]] = {
    "read before it is written": (
        operators(relu(3, 2), relu(0, 3), model=with_tensor(MODEL, 2, data=None)),
        "node 0 (relu): error: reads tensor #3 'output' before any node writes it",
    ),
    "read by itself": (
        operators(relu(3, 3)),
        "node 0 (relu): error: reads tensor #3 'output' before any node writes it",
    ),
    "written twice": (
        operators(relu(0, 3), relu(0, 3)),
        "node 1 (relu): error: writes tensor #3 'output', which already has a value",
    ),
    "constant written": (
        operators(relu(0, 1)),
        "node 0 (relu): error: writes tensor #1 'weights', which already has a value",
    ),
    "input written": (
        operators(relu(0, 0)),
        "node 0 (relu): error: writes tensor #0 'input', which already has a value",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_model(name: str) -> None:
    """What contradicts itself, although the format holds."""
    model, message = BROKEN[name]
    with pytest.raises(ModelError) as caught:
        read(model)
    assert str(caught.value) == f"model: error: {message}"


@pytest.mark.parametrize("name", IN_NODE)
def test_broken_order(name: str) -> None:
    """Every tensor is written once, and before it is read."""
    model, message = IN_NODE[name]
    with pytest.raises(ModelError) as caught:
        read(model)
    assert str(caught.value) == f"model: {message}"
