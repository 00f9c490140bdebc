"""Layers with float32 weights -> a .tflite file, for the training scripts beside this folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from tflite import ActivationFunctionType, Padding

from tinyml_rules.model_file.writer import (
    ModelSpec,
    OperatorSpec,
    OptionValue,
    TensorSpec,
    build_model,
)

Floats = npt.NDArray[np.float32]
Size = tuple[int, int]
"""Height and width."""


@dataclass(eq=False)
class FloatFile:
    """A network of one input and one output; every method puts a layer behind those before.

    `shape` is that of the latest tensor: (1, height, width, channels), or (1, count) behind
    `flatten`.  Weights are as PyTorch has them.
    """

    name: str
    shape: tuple[int, ...]
    _tensors: list[TensorSpec] = field(default_factory=list)
    _operators: list[OperatorSpec] = field(default_factory=list)
    _latest: int = 0

    def __post_init__(self) -> None:
        """The input is tensor 0."""
        self._latest = self._tensor("input", self.shape)

    def conv_2d(
        self,
        weights: Floats,
        bias: Floats,
        *,
        stride: Size = (1, 1),
        is_same: bool = True,
        has_relu: bool = True,
    ) -> None:
        """`weights` (outputs, inputs, height, width), `bias` (outputs,); SAME padding or none."""
        window = (weights.shape[2], weights.shape[3])
        size = self._size((1, 1) if is_same else window, stride)
        constants = self._weights(weights.transpose(0, 2, 3, 1), bias)
        options = {**_strides(stride), "Padding": _padding(is_same), **_activation(has_relu)}
        self._operator("CONV_2D", constants, (1, *size, len(weights)), options)

    def fully_connected(self, weights: Floats, bias: Floats, *, has_relu: bool = False) -> None:
        """`weights` (outputs, inputs), `bias` (outputs,)."""
        constants = self._weights(weights, bias)
        self._operator("FULLY_CONNECTED", constants, (1, len(weights)), _activation(has_relu))

    def max_pool_2d(self, window: Size, stride: Size) -> None:
        """The greatest value of each window that lies inside the image."""
        self._pool("MAX_POOL_2D", window, stride)

    def average_pool_2d(self, window: Size, stride: Size) -> None:
        """The mean of each window that lies inside the image."""
        self._pool("AVERAGE_POOL_2D", window, stride)

    def relu(self) -> None:
        """max(x, 0), an operator of its own."""
        self._operator("RELU", (), self.shape)

    def softmax(self) -> None:
        """Shares of 1 by exp(x)."""
        self._operator("SOFTMAX", (), self.shape, {"Beta": 1.0})

    def pad(self, bottom: int, right: int, value: float = 0.0) -> None:
        """Rows below and columns to the right that hold `value`: PAD where that is 0, or PADV2."""
        _, height, width, channels = self.shape
        paddings = np.array([[0, 0], [0, bottom], [0, right], [0, 0]], np.int32)
        constants = [self._constant("paddings", paddings)]
        if value != 0:
            constants.append(self._constant("value", np.array([value], np.float32)))
        shape = (1, height + bottom, width + right, channels)
        self._operator("PADV2" if value else "PAD", constants, shape)

    def flatten(self) -> None:
        """To (1, count), in the order of the values: row, column, channel."""
        count = int(np.prod(self.shape))
        constant = self._constant("shape", np.array([1, count], np.int32))
        self._operator("RESHAPE", (constant,), (1, count), {"NewShape": (1, count)})

    def file(self, description: str) -> bytes:
        """The .tflite file."""
        tensors, operators = tuple(self._tensors), tuple(self._operators)
        return build_model(ModelSpec(tensors, operators, (0,), (self._latest,), description))

    def _pool(self, operator: str, window: Size, stride: Size) -> None:
        shape = (1, *self._size(window, stride), self.shape[3])
        options = {
            **_strides(stride),
            "FilterHeight": window[0],
            "FilterWidth": window[1],
            "Padding": Padding.VALID,
        }
        self._operator(operator, (), shape, options)

    def _size(self, window: Size, stride: Size) -> Size:
        """How often `window` fits into the image by `stride`, down and across."""
        height, width = (
            (self.shape[axis + 1] - window[axis]) // stride[axis] + 1 for axis in (0, 1)
        )
        return height, width

    def _weights(self, weights: Floats, bias: Floats) -> tuple[int, int]:
        return self._constant("weights", weights), self._constant("bias", bias)

    def _constant(self, name: str, values: npt.NDArray[np.float32 | np.int32]) -> int:
        number = len(self._operators)
        return self._tensor(f"{number}/{name}", values.shape, np.ascontiguousarray(values))

    def _tensor(
        self,
        name: str,
        shape: tuple[int, ...],
        data: npt.NDArray[np.float32 | np.int32] | None = None,
    ) -> int:
        dtype = "float32" if data is None else str(data.dtype)
        self._tensors.append(TensorSpec(f"{self.name}/{name}", shape, dtype, data=data))
        return len(self._tensors) - 1

    def _operator(
        self,
        operator: str,
        constants: Sequence[int],
        shape: tuple[int, ...],
        options: Mapping[str, OptionValue] | None = None,
    ) -> None:
        output = self._tensor(f"{len(self._operators)}/{operator.lower()}", shape)
        inputs = (self._latest, *constants)
        self._operators.append(OperatorSpec(operator, inputs, (output,), options or {}))
        self._latest, self.shape = output, shape


def _strides(stride: Size) -> dict[str, OptionValue]:
    return {"StrideH": stride[0], "StrideW": stride[1]}


def _padding(is_same: bool) -> int:
    return int(Padding.SAME if is_same else Padding.VALID)


def _activation(has_relu: bool) -> dict[str, OptionValue]:
    kind = ActivationFunctionType.RELU if has_relu else ActivationFunctionType.NONE
    return {"FusedActivationFunction": kind}
