"""Models with a channel, a layer and a state of zeros."""

from __future__ import annotations

import numpy as np

from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops._shared.cases.case import constant, model_of, quantized, with_tensor
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.fully_connected.cases import dense


def files() -> dict[str, bytes]:
    """One model a file."""
    made = {"channel": _channel(), "layer": _layer(), "state": _state()}
    return {f"{name}.tflite": build_model(model) for name, model in made.items()}


def _channel() -> ModelSpec:
    """CONV_2D of three channels, the second without weights."""
    model = conv()
    weights, bias = model.tensors[1], model.tensors[2]
    values, biases = np.array(weights.data), np.array(bias.data)
    values[1], biases[1] = 0, 0
    for place, tensor, data in ((1, weights, values), (2, bias, biases)):
        scales = (tensor.scales[0], 0.0, tensor.scales[2])
        model = with_tensor(model, place, scales=scales, data=data)
    return model


def _layer() -> ModelSpec:
    """FULLY_CONNECTED per tensor, without weights."""
    model = dense()
    for place in (1, 2):
        data = np.zeros_like(np.array(model.tensors[place].data))
        model = with_tensor(model, place, scales=(0.0,), data=data)
    return model


def _state() -> ModelSpec:
    """What a loop begins with, times what comes in."""
    return model_of(
        "MUL",
        [
            quantized("input", (1, 5), scale=0.5, zero_point=-4),
            constant("zeros", np.full((1, 5), -4, np.int8), scales=(0.0,), zero_point=-4),
        ],
        quantized("output", (1, 5), scale=0.5, zero_point=3),
        version=2,
    )
