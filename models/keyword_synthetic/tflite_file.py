"""The network's folded layers -> a float32 .tflite file -> one of int8, by the quantizer here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import tflite

from models.keyword_synthetic.features import CHANNELS, ROWS
from models.keyword_synthetic.network import FIRST_STRIDE, Array, Folded
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.quantizer.quantize import quantize
from tinyml_rules.quantizer.request import Arrays, QuantizeRequest

NAME = "keyword_synthetic"
INPUT, OUTPUT = f"{NAME}/input", f"{NAME}/output"
INPUT_SHAPE = (1, ROWS, CHANNELS, 1)

_VALID = {"Padding": tflite.Padding.VALID}
_RELU = {"FusedActivationFunction": tflite.ActivationFunctionType.RELU}


def float_model(layers: Sequence[Folded]) -> bytes:
    """CONV_2D and DEPTHWISE_CONV_2D with RELU, AVERAGE_POOL_2D over all places, FULLY_CONNECTED,
    SOFTMAX; the last of `layers` is the dense one."""
    graph = _Graph()
    place, shape = graph.add(INPUT, INPUT_SHAPE), INPUT_SHAPE
    for number, layer in enumerate(layers[:-1]):
        name = f"depthwise_{number}" if layer.is_depthwise else f"conv_{number}"
        height, width, _, channels = layer.weights.shape
        stride = FIRST_STRIDE if number == 0 else (1, 1)
        rows = (shape[1] - height) // stride[0] + 1
        shape = (1, rows, (shape[2] - width) // stride[1] + 1, channels)
        weights = layer.weights if layer.is_depthwise else layer.weights.transpose(3, 0, 1, 2)
        if layer.is_depthwise:
            weights = weights.transpose(2, 0, 1, 3)
        operands = [place, *graph.constants(name, weights=weights, bias=layer.bias)]
        options = {**_VALID, **_RELU, "StrideH": stride[0], "StrideW": stride[1]}
        if layer.is_depthwise:
            operator, options = "DEPTHWISE_CONV_2D", {**options, "DepthMultiplier": 1}
        else:
            operator = "CONV_2D"
        place = graph.node(operator, operands, f"{name}/relu", shape, options)
    dense = layers[-1]
    size = {"FilterHeight": shape[1], "FilterWidth": shape[2], "StrideH": 1, "StrideW": 1}
    pooled = (1, 1, 1, shape[3])
    place = graph.node("AVERAGE_POOL_2D", [place], "mean", pooled, {**_VALID, **size})
    matrix = dense.weights[0, 0].T
    operands = [place, *graph.constants("dense", weights=matrix, bias=dense.bias)]
    classes = (1, len(matrix))
    place = graph.node("FULLY_CONNECTED", operands, "logits", classes, {})
    place = graph.node("SOFTMAX", [place], OUTPUT, classes, {"Beta": 1.0})
    description = f"{NAME}, trained on synthetic voices by models/{NAME}/train.py"
    tensors, operators = tuple(graph.tensors), tuple(graph.operators)
    return build_model(ModelSpec(tensors, operators, (0,), (place,), description))


def int8_model(model: bytes, calibration: Array) -> bytes:
    """`tinyml_rules quantize` of the model with these inputs, [count, ROWS, CHANNELS]."""
    samples = Arrays("calibration", {INPUT: calibration.reshape(-1, *INPUT_SHAPE)})
    found = quantize(QuantizeRequest(model=model, name=NAME, calibration=samples))
    for note in found.notes:
        print(note)
    return found.model


class _Graph:
    """Tensors and operators, one after the other."""

    def __init__(self) -> None:
        self.tensors: list[TensorSpec] = []
        self.operators: list[OperatorSpec] = []

    def add(self, name: str, shape: tuple[int, ...], data: Array | None = None) -> int:
        """A float32 tensor; its number."""
        self.tensors.append(TensorSpec(name, shape, "float32", data=data))
        return len(self.tensors) - 1

    def constants(self, layer: str, **values: Array) -> list[int]:
        """Constants of a layer, by their names."""
        return [
            self.add(f"{NAME}/{layer}/{name}", each.shape, np.ascontiguousarray(each, np.float32))
            for name, each in values.items()
        ]

    def node(
        self,
        operator: str,
        operands: Sequence[int],
        name: str,
        shape: tuple[int, ...],
        options: Mapping[str, Any],
    ) -> int:
        """An operator; the number of the tensor that it makes."""
        result = self.add(name if name == OUTPUT else f"{NAME}/{name}", shape)
        self.operators.append(OperatorSpec(operator, tuple(operands), (result,), options))
        return result
