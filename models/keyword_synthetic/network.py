"""A small convolutional network in numpy, float32: its layers, their gradients, and Adam.

    convolution 24 of 10x8, stride 2x4; three times: depthwise 3x3, pointwise 24; mean; dense

Each layer but the last is normalized over the batch and has a RELU. No layer is padded, so that
the network slides: a row that two windows share has the same values in both. Knows nothing of
files or of sound; `folded` gives the weights with which no normalization is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]

CHANNELS = 24
FIRST_KERNEL, FIRST_STRIDE = (10, 8), (2, 4)
DEPTHWISE_KERNEL = (3, 3)
BLOCKS = 3
EPSILON = 1e-3
"""Added to a variance."""
MEMORY = 0.97
"""Of the mean and variance that are used after training."""


class Layer(Protocol):
    """A function of an array with its parameters, and the gradients of both.

    `backward` is of the last `forward`; it sets `slopes`, of the shapes of `parameters`.
    """

    parameters: list[Array]
    slopes: list[Array]

    def forward(self, x: Array, *, is_training: bool) -> Array:
        """Outputs of inputs, both with a leading axis of samples."""
        ...

    def backward(self, slope: Array) -> Array:
        """The gradient of the loss by the inputs, from that by the outputs."""
        ...


class First:
    """A convolution of one channel without padding: [N, H, W] -> [N, H', W', channels]."""

    def __init__(self, generator: np.random.Generator) -> None:
        size = FIRST_KERNEL[0] * FIRST_KERNEL[1]
        self.parameters = [_drawn(generator, (size, CHANNELS), size)]
        self.slopes = [np.zeros_like(self.parameters[0])]

    def forward(self, x: Array, *, is_training: bool) -> Array:  # noqa: ARG002
        """Every patch times the weights."""
        views = np.lib.stride_tricks.sliding_window_view(x, FIRST_KERNEL, axis=(1, 2))
        views = views[:, :: FIRST_STRIDE[0], :: FIRST_STRIDE[1]]
        self._shape = views.shape[:3]
        self._patches = np.ascontiguousarray(views).reshape(-1, len(self.parameters[0]))
        return (self._patches @ self.parameters[0]).reshape(*self._shape, CHANNELS)

    def backward(self, slope: Array) -> Array:
        """There is nothing before this layer to learn."""
        self.slopes[0] = self._patches.T @ slope.reshape(-1, CHANNELS)
        return slope


class Depthwise:
    """A 3x3 convolution of each channel by itself without padding."""

    def __init__(self, generator: np.random.Generator) -> None:
        shape = (*DEPTHWISE_KERNEL, CHANNELS)
        self.parameters = [_drawn(generator, shape, shape[0] * shape[1])]
        self.slopes = [np.zeros_like(self.parameters[0])]

    def forward(self, x: Array, *, is_training: bool) -> Array:  # noqa: ARG002
        """The sum over the places of the kernel."""
        self._x = x
        height, width = (x.shape[1] - 2, x.shape[2] - 2)
        y = np.zeros((len(x), height, width, CHANNELS), np.float32)
        for i, j in np.ndindex(DEPTHWISE_KERNEL):
            y += x[:, i : i + height, j : j + width] * self.parameters[0][i, j]
        return y

    def backward(self, slope: Array) -> Array:
        """Likewise."""
        _, height, width, _ = slope.shape
        result = np.zeros_like(self._x)
        for i, j in np.ndindex(DEPTHWISE_KERNEL):
            result[:, i : i + height, j : j + width] += slope * self.parameters[0][i, j]
            part = self._x[:, i : i + height, j : j + width]
            self.slopes[0][i, j] = (part * slope).reshape(-1, CHANNELS).sum(axis=0)
        return result


class Pointwise:
    """A matrix product over the last axis, with a bias where `has_bias`."""

    def __init__(self, generator: np.random.Generator, outputs: int, *, has_bias: bool) -> None:
        self.parameters = [_drawn(generator, (CHANNELS, outputs), CHANNELS)]
        if has_bias:
            self.parameters.append(np.zeros(outputs, np.float32))
        self.slopes = [np.zeros_like(each) for each in self.parameters]

    def forward(self, x: Array, *, is_training: bool) -> Array:  # noqa: ARG002
        """x @ weights + bias."""
        self._x = x
        y = x @ self.parameters[0]
        return y + self.parameters[1] if len(self.parameters) > 1 else y

    def backward(self, slope: Array) -> Array:
        """Likewise."""
        flat = slope.reshape(-1, slope.shape[-1])
        self.slopes[0] = self._x.reshape(-1, CHANNELS).T @ flat
        if len(self.parameters) > 1:
            self.slopes[1] = flat.sum(axis=0)
        return slope @ self.parameters[0].T


class Normalize:
    """Mean 0 and variance 1 of each channel, times a factor, plus a term; then RELU.

    Ioffe and Szegedy, 2015, algorithms 1 and 2.
    """

    def __init__(self) -> None:
        self.parameters = [np.ones(CHANNELS, np.float32), np.zeros(CHANNELS, np.float32)]
        self.slopes = [np.zeros_like(each) for each in self.parameters]
        self.mean, self.variance = np.zeros(CHANNELS, np.float32), np.ones(CHANNELS, np.float32)

    def forward(self, x: Array, *, is_training: bool) -> Array:
        """With the batch's own mean and variance in training, else with those of many batches."""
        mean, variance = self.mean, self.variance
        if is_training:
            mean, variance = x.mean(axis=(0, 1, 2)), x.var(axis=(0, 1, 2))
            self.mean = MEMORY * self.mean + (1 - MEMORY) * mean
            self.variance = MEMORY * self.variance + (1 - MEMORY) * variance
        self._inverse = (1 / np.sqrt(variance + EPSILON)).astype(np.float32)
        self._normal: Array = (x - mean) * self._inverse
        y: Array = np.maximum(self._normal * self.parameters[0] + self.parameters[1], 0)
        self._is_on = y > 0
        return y

    def backward(self, slope: Array) -> Array:
        """Of training's function: mean and variance depend on the inputs too."""
        slope = slope * self._is_on
        count = slope.size // CHANNELS
        self.slopes[0] = (slope * self._normal).sum(axis=(0, 1, 2))
        self.slopes[1] = slope.sum(axis=(0, 1, 2))
        centred = slope - (self._normal * self.slopes[0] + self.slopes[1]) / count
        result: Array = centred * (self.parameters[0] * self._inverse)
        return result


class Mean:
    """Over all places of each channel."""

    def __init__(self) -> None:
        self.parameters: list[Array] = []
        self.slopes: list[Array] = []

    def forward(self, x: Array, *, is_training: bool) -> Array:  # noqa: ARG002
        """[N, H, W, channels] -> [N, channels]."""
        self._shape = x.shape
        result: Array = x.mean(axis=(1, 2))
        return result

    def backward(self, slope: Array) -> Array:
        """The same for every place."""
        count = self._shape[1] * self._shape[2]
        return np.broadcast_to(slope[:, np.newaxis, np.newaxis] / count, self._shape)


@dataclass(frozen=True, eq=False)
class Folded:
    """A layer's weights [height, width, inputs, outputs], for a depthwise layer with 1 input and
    `outputs` channels, and its bias [outputs]."""

    weights: Array
    bias: Array
    is_depthwise: bool = False


class Network:
    """All layers in order."""

    def __init__(self, generator: np.random.Generator, *, classes: int) -> None:
        self.layers: list[Layer] = [First(generator), Normalize()]
        for _ in range(BLOCKS):
            self.layers += [Depthwise(generator), Normalize()]
            self.layers += [Pointwise(generator, CHANNELS, has_bias=False), Normalize()]
        self.layers += [Mean(), Pointwise(generator, classes, has_bias=True)]

    def logits(self, x: Array, *, is_training: bool = False) -> Array:
        """[N, H, W] -> [N, classes]."""
        for layer in self.layers:
            x = layer.forward(x, is_training=is_training)
        return x

    def learn(self, x: Array, labels: npt.NDArray[np.uint8]) -> float:
        """Set the slopes of all parameters; the mean cross entropy."""
        probabilities = softmax(self.logits(x, is_training=True))
        places = (np.arange(len(labels)), labels)
        loss = -float(np.log(probabilities[places] + 1e-9).mean())
        probabilities[places] -= 1
        slope = probabilities / np.float32(len(labels))
        for layer in reversed(self.layers):
            slope = layer.backward(slope)
        return loss

    def folded(self) -> list[Folded]:
        """The layers with weights, each with the normalization after it."""
        result = []
        for layer, after in zip(self.layers, [*self.layers[1:], None], strict=True):
            if not isinstance(layer, First | Depthwise | Pointwise):
                continue
            weights = layer.parameters[0]
            if isinstance(layer, First):
                weights = weights.reshape(*FIRST_KERNEL, 1, CHANNELS)
            elif isinstance(layer, Depthwise):
                weights = weights[:, :, np.newaxis]
            else:
                weights = weights[np.newaxis, np.newaxis]
            if isinstance(after, Normalize):
                factor = after.parameters[0] / np.sqrt(after.variance + EPSILON)
                weights, bias = weights * factor, after.parameters[1] - after.mean * factor
            else:
                bias = layer.parameters[1]
            result.append(Folded(weights, bias, isinstance(layer, Depthwise)))
        return result


class Adam:
    """Kingma and Ba, 2015, algorithm 1, with a decay of the weights next to it."""

    def __init__(self, layers: Sequence[Layer], *, decay: float) -> None:
        self._layers, self._decay, self._step = layers, decay, 0
        parameters = [each for layer in layers for each in layer.parameters]
        self._means = [np.zeros_like(each) for each in parameters]
        self._squares = [np.zeros_like(each) for each in parameters]

    def step(self, rate: float) -> None:
        """Change every parameter in place, by its slope."""
        self._step += 1
        factor = np.float32(rate * np.sqrt(1 - 0.999**self._step) / (1 - 0.9**self._step))
        parameters = [each for layer in self._layers for each in layer.parameters]
        slopes = [each for layer in self._layers for each in layer.slopes]
        for index, (values, slope) in enumerate(zip(parameters, slopes, strict=True)):
            mean, square = self._means[index], self._squares[index]
            mean[...] += np.float32(0.1) * (slope - mean)
            square[...] += np.float32(0.001) * (slope * slope - square)
            values[...] -= factor * mean / (np.sqrt(square) + np.float32(1e-7))
            if values.ndim > 1:
                values[...] *= np.float32(1 - rate * self._decay)


def softmax(logits: Array) -> Array:
    """Over the last axis."""
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    result: Array = powers / powers.sum(axis=-1, keepdims=True)
    return result


def _drawn(generator: np.random.Generator, shape: tuple[int, ...], inputs: int) -> Array:
    """He et al., 2015: variance 2 / inputs."""
    values: Array = (generator.standard_normal(shape) * np.sqrt(2 / inputs)).astype(np.float32)
    return values
