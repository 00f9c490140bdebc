"""A network computed by JAX, one sample or a batch, to train it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from benchmarks.networks.layers import EPSILON, Network, Value

Arrays = Mapping[str, Any]
BATCH = "batch"
"""The axis of samples, over which a normalization measures."""
_NUMBERS = ("NHWC", "OHWI", "NHWC")


def outputs_of(network: Network, parameters: Arrays, inputs: Sequence[Any]) -> list[Any]:
    """Of a batch, [count, *shape] each, with the moments that are stored."""
    found: list[Any] = jax.vmap(lambda *sample: _run(network, parameters, sample, None))(*inputs)
    return found


def in_training(
    network: Network, parameters: Arrays, inputs: Sequence[Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The same with the moments of this batch, and these by their parameters' names."""

    def of_sample(*sample: Any) -> tuple[list[Any], dict[str, Any]]:
        moments: dict[str, Any] = {}
        return _run(network, parameters, sample, moments), moments

    found: tuple[list[Any], dict[str, Any]] = jax.vmap(
        of_sample, axis_name=BATCH, out_axes=(0, None)
    )(*inputs)
    return found


def _run(
    network: Network, parameters: Arrays, inputs: Sequence[Any], moments: dict[str, Any] | None
) -> list[Any]:
    given, known = iter(inputs), dict(parameters)
    found: list[Any] = []
    for value in network.values:
        sources = [found[place] for place in value.sources]
        if value.op == "input":
            found.append(next(given))
        elif value.start is not None:
            found.append(known[value.name])
        elif value.number is not None:
            found.append(jnp.float32(value.number))
        elif value.op == "batch_norm" and moments is not None:
            measured = _moments(sources[0])
            names = [network.values[place].name for place in value.sources[3:]]
            moments |= dict(zip(names, measured, strict=True))
            x, factor, term = sources[:3]
            found.append(_normalized(x, factor, term, *measured))
        else:
            found.append(MEANINGS[value.op](value, *sources))
    return [found[place] for place in network.outputs]


def _moments(x: Any) -> tuple[Any, Any]:
    """Mean and variance of each channel over the batch."""
    axes = tuple(range(x.ndim - 1))
    mean = lax.pmean(x.mean(axes), BATCH)
    return mean, lax.pmean(jnp.square(x - mean).mean(axes), BATCH)


def _normalized(x: Any, factor: Any, term: Any, mean: Any, variance: Any) -> Any:
    return (x - mean) * lax.rsqrt(variance + EPSILON) * factor + term


def _conv(value: Value, x: Any, weights: Any, bias: Any) -> Any:
    stride, dilation = value.options["stride"], value.options["dilation"]
    of_weights = {"rhs_dilation": dilation, "dimension_numbers": _NUMBERS}
    return lax.conv_general_dilated(x, weights, stride, "SAME", **of_weights) + bias


def _depthwise(value: Value, x: Any, weights: Any, bias: Any) -> Any:
    """Pixels at a distance, times weights: faster than a convolution of many groups."""
    kernel, steps = weights.shape[1:3], value.options["stride"]
    lengths = [
        max((out - 1) * step + size - whole, 0)
        for out, step, size, whole in zip(
            value.shape[1:3], steps, kernel, x.shape[1:3], strict=True
        )
    ]
    pads = [(0, 0), *((length // 2, length - length // 2) for length in lengths), (0, 0)]
    padded, total = jnp.pad(x, pads), bias
    for row in range(kernel[0]):
        for column in range(kernel[1]):
            ends = [
                start + (out - 1) * step + 1
                for start, out, step in zip((row, column), value.shape[1:3], steps, strict=True)
            ]
            pixels = padded[:, row : ends[0] : steps[0], column : ends[1] : steps[1]]
            total = total + pixels * weights[0, row, column]
    return total


def _doubled(value: Value, x: Any, weights: Any, bias: Any) -> Any:
    pixels = jnp.einsum("nrcd,oabd->nracbo", x, weights)
    return pixels.reshape(value.shape) + bias


def _matmul(value: Value, x: Any, y: Any) -> Any:
    return x @ (jnp.swapaxes(y, -1, -2) if value.options["is_transposed"] else y)


def _part(value: Value, x: Any) -> Any:
    axis, begin = value.options["axis"], value.options["begin"]
    return lax.slice_in_dim(x, begin, begin + value.shape[axis], axis=axis)


def _pooled(x: Any, reduce: Callable[..., Any]) -> Any:
    count, rows, columns, channels = x.shape
    return reduce(x.reshape(count, rows // 2, 2, columns // 2, 2, channels), axis=(2, 4))


MEANINGS: Mapping[str, Callable[..., Any]] = {
    "conv": _conv,
    "depthwise": _depthwise,
    "doubled": _doubled,
    "dense": lambda _, x, weights, bias: x @ weights.T + bias,
    "batch_norm": lambda _, *operands: _normalized(*operands),
    "relu": lambda _, x: jax.nn.relu(x),
    "relu6": lambda _, x: jax.nn.relu6(x),
    "hard_swish": lambda _, x: jax.nn.hard_swish(x),
    "logistic": lambda _, x: jax.nn.sigmoid(x),
    "tanh": lambda _, x: jnp.tanh(x),
    "gelu": lambda _, x: jax.nn.gelu(x, approximate=False),
    "rsqrt": lambda _, x: lax.rsqrt(x),
    "softmax": lambda _, x: jax.nn.softmax(x),
    "add": lambda _, x, y: x + y,
    "sub": lambda _, x, y: x - y,
    "mul": lambda _, x, y: x * y,
    "squared_difference": lambda _, x, y: jnp.square(x - y),
    "mean": lambda v, x: x.mean(v.options["axes"], keepdims=v.options["keep"]),
    "average_pool": lambda _, x: _pooled(x, jnp.mean),
    "max_pool": lambda _, x: _pooled(x, jnp.max),
    "nearest": lambda _, x: x.repeat(2, axis=1).repeat(2, axis=2),
    "join": lambda _, *parts: jnp.concatenate(parts, axis=-1),
    "reshape": lambda v, x: x.reshape(v.shape),
    "transpose": lambda v, x: x.transpose(v.options["order"]),
    "matmul": _matmul,
    "part": _part,
}
"""By the op of a value: from it and its operands to what it is."""
