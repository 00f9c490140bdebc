"""The writer of small models makes files that TFLM runs."""

from __future__ import annotations

import numpy as np
import pytest
import tflite

from tests.support.tflm import tflm_outputs
from tinyml_rules.model_file.writer import (
    OPTIONAL,
    ModelSpec,
    OperatorSpec,
    TensorSpec,
    build_model,
    options_table,
)

RELU = tflite.ActivationFunctionType.RELU


def int8(name: str, shape: tuple[int, ...]) -> TensorSpec:
    """An int8 tensor with scale 1."""
    return TensorSpec(name, shape, scales=(1.0,), zero_points=(0,))


def test_several_operators_inputs_and_outputs() -> None:
    """ADD then RESHAPE, both results given out, on two samples."""
    spec = ModelSpec(
        tensors=(
            int8("a", (1, 4)),
            int8("b", (1, 4)),
            int8("sum", (1, 4)),
            TensorSpec("shape", (2,), "int32", data=np.array([2, 2], np.int32)),
            int8("square", (2, 2)),
        ),
        operators=(
            OperatorSpec("ADD", (0, 1), (2,), {"FusedActivationFunction": RELU}, version=2),
            OperatorSpec("RESHAPE", (2, 3), (4,), {"NewShape": (2, 2)}),
        ),
        inputs=(0, 1),
        outputs=(4, 2),
    )
    a = np.array([[[1, 2, 3, 4]], [[-5, 6, 7, 100]]], np.int8)
    b = np.array([[[1, 1, 1, 1]], [[1, 1, 1, 100]]], np.int8)
    square, total = tflm_outputs(build_model(spec), [a, b])
    assert total.tolist() == [[[2, 3, 4, 5]], [[0, 7, 8, 127]]]
    assert square.tolist() == total.reshape(2, 2, 2).tolist()


def test_per_axis_weights_without_bias() -> None:
    """CONV_2D with one scale per output channel and its optional input left out."""
    weights = np.array([1, 1], np.int8).reshape(2, 1, 1, 1)
    spec = ModelSpec(
        tensors=(
            int8("in", (1, 1, 1, 1)),
            TensorSpec(
                "weights", (2, 1, 1, 1), scales=(1.0, 0.5), zero_points=(0, 0), data=weights
            ),
            int8("out", (1, 1, 1, 2)),
        ),
        operators=(
            OperatorSpec(
                "CONV_2D",
                (0, 1, OPTIONAL),
                (2,),
                {"Padding": tflite.Padding.VALID, "StrideW": 1, "StrideH": 1},
                version=3,
            ),
        ),
        inputs=(0,),
        outputs=(2,),
    )
    (output,) = tflm_outputs(build_model(spec), [np.full((1, 1, 1, 1, 1), 40, np.int8)])
    assert output.ravel().tolist() == [40, 20]


def test_operator_code_beyond_a_byte() -> None:
    """BROADCAST_TO is 130; the deprecated field holds 127 and the new one the code."""
    spec = ModelSpec(
        tensors=(
            int8("in", (1, 1)),
            TensorSpec("shape", (2,), "int32", data=np.array([1, 3], np.int32)),
            int8("out", (1, 3)),
        ),
        operators=(OperatorSpec("BROADCAST_TO", (0, 1), (2,), version=2),),
        inputs=(0,),
        outputs=(2,),
    )
    data = build_model(spec)
    code = tflite.Model.GetRootAs(data).OperatorCodes(0)
    assert (code.DeprecatedBuiltinCode(), code.BuiltinCode(), code.Version()) == (127, 130, 2)
    (output,) = tflm_outputs(data, [np.full((1, 1, 1), 7, np.int8)])
    assert output.tolist() == [[[7, 7, 7]]]


def test_what_only_the_file_shows() -> None:
    """Shape signature, custom code, alignment of data, and an empty buffer 0."""
    data = np.arange(5, dtype=np.int8)
    spec = ModelSpec(
        tensors=(
            TensorSpec("in", (1, 5), "float32", shape_signature=(-1, 5)),
            TensorSpec("constant", (5,), data=data),
        ),
        operators=(OperatorSpec("CUSTOM", (0, 1), (0,), custom_code="Mine"),),
        inputs=(0,),
        outputs=(0,),
        description="text",
    )
    file = build_model(spec)
    model = tflite.Model.GetRootAs(file)
    tensor = model.Subgraphs(0).Tensors(0)
    assert model.Description() == b"text"
    assert model.OperatorCodes(0).CustomCode() == b"Mine"
    assert tensor.ShapeSignatureAsNumpy().tolist() == [-1, 5]
    assert (tensor.Quantization(), tensor.Buffer()) == (None, 0)
    assert model.Buffers(0).DataIsNone()
    assert model.Buffers(1).DataAsNumpy().tolist() == data.tolist()
    assert file.index(data.tobytes()) % 16 == 0


@pytest.mark.parametrize(
    ("operator", "table"),
    [
        ("DEPTHWISE_CONV_2D", "DepthwiseConv2DOptions"),
        ("MAX_POOL_2D", "Pool2DOptions"),
        ("PADV2", "PadV2Options"),
        ("MEAN", "ReducerOptions"),
        ("LOGISTIC", ""),
    ],
)
def test_options_table(operator: str, table: str) -> None:
    """Found by the operator's name, or in the list of those called otherwise."""
    assert options_table(operator) == table
