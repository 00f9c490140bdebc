"""A small fully connected network with ReLU: its start, its outputs and its gradients.

Every sum runs in a fixed order and only +, -, *, / are used, so the results are the same, bit for
bit, on every machine with IEEE arithmetic.  Knows neither what is learnt nor how it is stored.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Layer:
    """Weights of shape (inputs, outputs) and bias of shape (1, outputs)."""

    weights: Array
    bias: Array


def initial_layers(
    sizes: Sequence[int], rng: np.random.Generator, *, input_range: tuple[float, float]
) -> list[Layer]:
    """Random layers for one input, whose first kinks are spread over the input range.

    With biases of zero all kinks of the first layer would start at x = 0, and half of its units
    would be dead on a positive range.
    """
    shape = (1, sizes[1])
    slopes = rng.choice([-1.0, 1.0], size=shape) * rng.uniform(0.3, 0.7, size=shape)
    layers = [Layer(slopes, -slopes * rng.uniform(*input_range, size=shape))]
    for inputs, outputs in pairwise(sizes[1:]):
        limit = math.sqrt(3 / inputs)
        weights = rng.uniform(-limit, limit, size=(inputs, outputs))
        layers.append(Layer(weights, np.zeros((1, outputs))))
    return layers


def activations(layers: Sequence[Layer], x: Array) -> list[Array]:
    """The input (count, inputs), then every layer's output; ReLU on all but the last layer."""
    values = [x]
    for index, layer in enumerate(layers):
        result = _matrix_product(values[-1], layer.weights) + layer.bias
        is_last = index == len(layers) - 1
        values.append(result if is_last else np.maximum(result, 0))
    return values


def gradients(layers: Sequence[Layer], x: Array, y: Array) -> list[Layer]:
    """Of the mean squared error against y (count, outputs), by back-propagation."""
    values = activations(layers, x)
    error = (values[-1] - y) * (2 / len(x))
    reverse = []
    for layer, inputs in zip(reversed(layers), reversed(values[:-1]), strict=True):
        reverse.append(Layer(_matrix_product(inputs.T, error), error.sum(axis=0, keepdims=True)))
        error = _matrix_product(error, layer.weights.T) * (inputs > 0)
    return reverse[::-1]


def _matrix_product(left: Array, right: Array) -> Array:
    # Not `@`: BLAS adds up in another order on another processor.
    products: Array = left[:, :, np.newaxis] * right[np.newaxis, :, :]
    total: Array = products.sum(axis=1)
    return total
