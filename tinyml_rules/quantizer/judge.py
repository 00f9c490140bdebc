"""How good an integer model is: its own outputs, by the exact integer arithmetic, against those of
the float32 model."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.decibels import sqnr_db
from tinyml_rules.arithmetic.fixed_point import dequantize_real, quantize_real
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, Graph, Tensor
from tinyml_rules.ops._shared.interpreter import first_values
from tinyml_rules.quantizer.scheme import Numbers

INTEGERS = (DType.INT8, DType.INT16)
"""The types of activations that are made."""
BEST_DB = 200.0
"""Signal-to-noise ratio reported for outputs without any error."""


def quantized_values(graph: Graph, sample: Mapping[int, Array]) -> dict[int, Array]:
    """The model's inputs as it takes them, from real numbers, and the first values of variables."""
    return first_values(graph) | {
        index: quantized(graph.tensors[index], sample[index])
        for index in graph.inputs
        if index in sample
    }


def quantized(tensor: Tensor, values: Array) -> Array:
    """Real numbers quantized as the tensor; unchanged if the tensor is not quantized."""
    if tensor.dtype not in INTEGERS or values.dtype.kind != "f":
        return values
    return quantize_real(
        values.astype(np.float32),
        scale=tensor.scale,
        zero_point=tensor.zero_point,
        dtype=str(tensor.dtype),
    )


def real(tensor: Tensor, values: Array) -> Numbers:
    """The real values of a tensor's numbers."""
    if tensor.dtype not in INTEGERS or tensor.quantization is None:
        return values.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):  # the end of a range may be beyond float32
        found = dequantize_real(values, scale=tensor.scale, zero_point=tensor.zero_point)
    return found.astype(np.float64)


def sqnr(signal: float, noise: float) -> float:
    """In dB, within BEST_DB."""
    return min(max(sqnr_db(signal, noise), -BEST_DB), BEST_DB)


class Sums:
    """Sums of squares of a signal and of its error."""

    def __init__(self) -> None:
        self.signal = 0.0
        self.noise = 0.0

    def add(self, expected: Array, found: Numbers) -> None:
        wanted = expected.astype(np.float64)
        self.signal += float(np.square(wanted).sum())
        self.noise += float(np.square(wanted - found).sum())

    @property
    def sqnr(self) -> float:
        return sqnr(self.signal, self.noise)
