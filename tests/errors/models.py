"""Models that a person may hand over by mistake, and sound ones for the other mistakes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.ops._shared.cases.case import quantized
from tinyml_rules.ops.add.cases import add
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.ops.relu.cases import relu


def _float_model() -> ModelSpec:
    """Two layers that were never quantized; float32 has no LOGICAL_NOT."""
    weights = np.ones((3, 3), np.float32)
    return ModelSpec(
        tensors=(
            TensorSpec("x", (1, 3), "float32"),
            TensorSpec("dense/weights", (3, 3), "float32", data=weights),
            TensorSpec("dense/relu", (1, 3), "float32"),
            TensorSpec("y", (1, 3), "float32"),
        ),
        operators=(
            OperatorSpec("FULLY_CONNECTED", (0, 1), (2,)),
            OperatorSpec("LOGICAL_NOT", (2,), (3,)),
        ),
        inputs=(0,),
        outputs=(3,),
    )


def _unsupported() -> ModelSpec:
    """A chain of operators, most of which nobody has yet."""
    names = ("RFFT2D", "RELU", "CUSTOM", "WHERE")
    return ModelSpec(
        tensors=tuple(quantized(f"t{index}", (1, 4)) for index in range(5)),
        operators=tuple(
            OperatorSpec(name, (index,), (index + 1,), custom_code="Mine" * (name == "CUSTOM"))
            for index, name in enumerate(names)
        ),
        inputs=(0,),
        outputs=(4,),
    )


def _float_inside() -> ModelSpec:
    """int8 to float32 and back, in the middle of the model."""
    return ModelSpec(
        tensors=(
            quantized("x", (1, 4)),
            TensorSpec("real", (1, 4), "float32"),
            quantized("y", (1, 4)),
        ),
        operators=(OperatorSpec("DEQUANTIZE", (0,), (1,)), OperatorSpec("QUANTIZE", (1,), (2,))),
        inputs=(0,),
        outputs=(2,),
    )


def _float_read_twice() -> ModelSpec:
    """A float32 input that two nodes quantize."""
    return ModelSpec(
        tensors=(
            TensorSpec("x", (1, 4), "float32"),
            quantized("fine", (1, 4), scale=0.1),
            quantized("coarse", (1, 4)),
        ),
        operators=(OperatorSpec("QUANTIZE", (0,), (1,)), OperatorSpec("QUANTIZE", (0,), (2,))),
        inputs=(0,),
        outputs=(1, 2),
    )


def _unread_float() -> ModelSpec:
    """A float32 input beside the one that is used."""
    model = relu((1, 4))
    tensors = (*model.tensors, TensorSpec("unused", (1, 4), "float32"))
    return replace(model, tensors=tensors, inputs=(0, 2))


def _two_outputs() -> ModelSpec:
    model = relu((1, 4))
    return replace(
        model,
        tensors=(*model.tensors, quantized("twice", (1, 4))),
        operators=(*model.operators, OperatorSpec("RELU", (1,), (2,))),
        outputs=(1, 2),
    )


MODELS = {
    "sound": build_model(relu((1, 4))),
    "real": build_model(_float_model()),
    "unsupported": build_model(_unsupported()),
    "float_inside": build_model(_float_inside()),
    "float_read_twice": build_model(_float_read_twice()),
    "unread_float": build_model(_unread_float()),
    "two_inputs": build_model(add((1, 2), (1, 2))),
    "two_outputs": build_model(_two_outputs()),
    "wide": build_model(relu((1, 3000))),
    "heavy": build_model(dense((1, 200), (1, 200))),
    "wide_and_heavy": build_model(conv((1, 20, 20, 64), (3, 3), outputs=64)),
    "garbage": b"this is no model",
    "empty": b"",
}
"""The bytes of `<name>.tflite`."""
