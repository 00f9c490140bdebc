"""Trains a network: Adam on batches, a rate that falls as a cosine, the moments of normalizations
from all training data at the end.  With the same packages and processor the result is the same."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.networks.architecture import Architecture, first_parameters
from benchmarks.networks.data import Array, Examples
from benchmarks.networks.in_jax import Arrays, in_training
from benchmarks.networks.layers import Network, Value

BATCH = 32
MEASURED = 1024
"""Most samples by which moments are measured."""
State = tuple[Any, Any, Any]
"""Parameters, and the means of their gradients and of the squares of these."""
LEAST = 1e-7
"""Of a probability, whose logarithm is taken."""


def trained(architecture: Architecture, examples: Examples, seed: int) -> dict[str, Array]:
    """The parameters by name."""
    network, generator = architecture.network, np.random.default_rng(seed)
    first = first_parameters(network, seed)
    rest = {each.name: first.pop(each.name) for each in network.parameters if not _learns(each)}
    each_epoch = len(examples) // BATCH
    steps = each_epoch * architecture.epochs

    def step(state: State, number: Any, batch: Any) -> State:
        slopes = jax.grad(lambda learned: _loss(network, {**rest, **learned}, batch))(state[0])
        rate = architecture.rate * (1 + jnp.cos(math.pi * number / steps)) / 2
        return _moved(state, slopes, number + 1, rate)

    compiled = jax.jit(step)
    zeros = {name: np.zeros_like(values) for name, values in first.items()}
    state: State = (first, zeros, zeros)
    for number in range(steps):
        place = number % each_epoch
        if place == 0:
            order = generator.permutation(len(examples))
        state = compiled(state, number, _picked(examples, order[place * BATCH :][:BATCH]))
    parameters = {**rest, **state[0]}
    _, moments = in_training(network, parameters, [each[:MEASURED] for each in examples.inputs])
    return {name: np.asarray(values) for name, values in (parameters | moments).items()}


def _learns(parameter: Value) -> bool:
    return parameter.start is not None and parameter.start.is_trained


def _picked(examples: Examples, places: Array) -> tuple[list[Array], list[Array]]:
    return [each[places] for each in examples.inputs], [each[places] for each in examples.targets]


def _loss(network: Network, parameters: Arrays, batch: Any) -> Any:
    """The sum of the outputs' losses."""
    inputs, targets = batch
    outputs, _ = in_training(network, parameters, inputs)
    pairs = zip(network.outputs, outputs, targets, strict=True)
    return sum(_loss_of_output(network.values[place].op, *each) for place, *each in pairs)


def _loss_of_output(op: str, output: Any, target: Any) -> Any:
    """Cross-entropy with a class, mean square of the distance from numbers."""
    if target.ndim > 1:
        return jnp.square(output - target).mean()
    rows = output.reshape(len(target), -1)
    logits = jnp.log(rows + LEAST) if op == "softmax" else jax.nn.log_softmax(rows)
    return -jnp.take_along_axis(logits, target[:, jnp.newaxis], axis=1).mean()


def _moved(state: State, slopes: Any, count: Any, rate: Any) -> State:
    """A step of Adam, the `count`-th."""
    each = jax.tree_util.tree_map
    means = each(lambda m, g: 0.9 * m + 0.1 * g, state[1], slopes)
    squares = each(lambda s, g: 0.999 * s + 0.001 * g * g, state[2], slopes)
    size = rate * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
    found = each(lambda p, m, s: p - size * m / (jnp.sqrt(s) + 1e-8), state[0], means, squares)
    return found, means, squares
