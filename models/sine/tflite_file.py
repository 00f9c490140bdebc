"""Quantized FULLY_CONNECTED layers -> a .tflite file, one node per layer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from models.sine.quantization import Quantization, QuantizedLayer
from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model

OPERATOR_VERSION = 4  # int8 in and out, by LiteRT's op_version.cc


def tflite_bytes(
    layers: Sequence[QuantizedLayer], *, source: Quantization, name: str, description: str
) -> bytes:
    """The file of a network with input `source` of shape (1, inputs)."""
    tensors = [_activation(f"{name}/input", layers[0].weights.shape[1], source)]
    operators = []
    for index, layer in enumerate(layers):
        first, scope = len(tensors), f"{name}/dense_{index}"
        output = f"{name}/output" if layer is layers[-1] else f"{scope}/relu"
        tensors += [
            _constant(f"{scope}/weights", layer.weights, layer.weights_scale),
            _constant(f"{scope}/bias", layer.bias, layer.bias_scale),
            _activation(output, layer.weights.shape[0], layer.output),
        ]
        activation = Activation.RELU if layer.has_relu else Activation.NONE
        operators.append(
            OperatorSpec(
                "FULLY_CONNECTED",
                (first - 1, first, first + 1),
                (first + 2,),
                {"FusedActivationFunction": activation},
                version=OPERATOR_VERSION,
            )
        )
    last = len(tensors) - 1
    return build_model(ModelSpec(tuple(tensors), tuple(operators), (0,), (last,), description))


def _activation(name: str, width: int, quantization: Quantization) -> TensorSpec:
    scales, zero_points = (quantization.scale,), (quantization.zero_point,)
    return TensorSpec(name, (1, width), scales=scales, zero_points=zero_points)


def _constant(name: str, values: npt.NDArray[np.signedinteger], scale: float) -> TensorSpec:
    return TensorSpec(
        name, values.shape, str(values.dtype), scales=(scale,), zero_points=(0,), data=values
    )
