"""Post-training quantization of a network to int8, by the LiteRT 8-bit specification.

Inputs and activations are asymmetric, weights symmetric with zero point 0 in [-127, 127], both
per-tensor; the bias is int32 at scale input_scale * weights_scale.
Source: https://ai.google.dev/edge/litert/models/quantization_spec
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from models.sine.network import Array, Layer, activations


@dataclass(frozen=True)
class Quantization:
    """real = scale * (q - zero_point); `scale` is a float32 value, because the file stores one."""

    scale: float
    zero_point: int


@dataclass(frozen=True)
class QuantizedLayer:
    """One FULLY_CONNECTED node: int8 weights (outputs, inputs), int32 bias (outputs,)."""

    weights: npt.NDArray[np.int8]
    weights_scale: float
    bias: npt.NDArray[np.int32]
    bias_scale: float
    output: Quantization
    has_relu: bool


def quantize(
    layers: Sequence[Layer], calibration: Array, *, source: Quantization
) -> list[QuantizedLayer]:
    """Every layer in int8; the inputs `calibration` (count, inputs) give the activations' ranges.

    `source` is the quantization of the network's input.
    """
    quantized = []
    outputs = activations(layers, calibration)[1:]
    for index, (layer, values) in enumerate(zip(layers, outputs, strict=True)):
        weights_scale = _float32(float(np.abs(layer.weights).max()) / 127)
        bias_scale = _float32(source.scale * weights_scale)
        weights = np.clip(np.rint(layer.weights.T / weights_scale), -127, 127)
        node = QuantizedLayer(
            weights=weights.astype(np.int8),
            weights_scale=weights_scale,
            bias=np.rint(layer.bias[0] / bias_scale).astype(np.int32),
            bias_scale=bias_scale,
            output=asymmetric(float(values.min()), float(values.max())),
            has_relu=index < len(layers) - 1,
        )
        quantized.append(node)
        source = node.output
    return quantized


def asymmetric(low: float, high: float) -> Quantization:
    """The int8 quantization of an activation in [low, high]; zero is represented exactly."""
    low, high = min(low, 0.0), max(high, 0.0)
    scale = _float32((high - low) / 255)
    return Quantization(scale, max(-128, min(127, round(-128 - low / scale))))


def _float32(value: float) -> float:
    return float(np.float32(value))
