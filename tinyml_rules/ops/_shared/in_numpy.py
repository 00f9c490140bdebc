"""What the operators' meanings in numpy share: definitions, and nothing that `prepare` makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.fixed_point import (
    INT8_MAX,
    INT8_MIN,
    Activation,
    Int64Array,
    clamp_range,
    quantize_multiplier,
    requantize,
    wrap_int32,
)
from tinyml_rules.ir.graph import Array, NodeView, Tensor

Int8Array = npt.NDArray[np.int8]


def bounds(result: Tensor, activation: int) -> tuple[int, int]:
    """What a fused activation leaves of the output's values."""
    return clamp_range(Activation(activation), scale=result.scale, zero_point=result.zero_point)


def moved(values: Array, source: Tensor, result: Tensor, *, low: int = INT8_MIN) -> Int8Array:
    """The same real numbers in another quantization, not below `low`."""
    factor = quantize_multiplier(source.scale / result.scale)
    return requantize(
        values.astype(np.int64) - source.zero_point,
        *factor,
        zero_point=result.zero_point,
        clamp_min=low,
        clamp_max=INT8_MAX,
    )


def weighted_output(
    view: NodeView, products: Int64Array, values: Mapping[int, Array], activation: int
) -> Int8Array:
    """The output of sums of products of input and weights, channels last: the bias is added, and
    each channel brought from the scale of its sums to the output's."""
    source, weights, result = view.input(0), view.input(1), view.output
    bias = view.optional_input(2)
    assert weights.quantization is not None
    acc = products
    if bias is not None:
        acc = acc + values[bias.index].astype(np.int64).reshape(-1)
    factors = [
        quantize_multiplier(source.scale * scale / result.scale)
        for scale in weights.quantization.scales
    ]
    low, high = bounds(result, activation)
    return requantize(
        wrap_int32(acc),
        np.array([multiplier for multiplier, _ in factors], np.int64),
        np.array([shift for _, shift in factors], np.int64),
        zero_point=result.zero_point,
        clamp_min=low,
        clamp_max=high,
    )


def sums_over_axes(view: NodeView, values: Array, axes: Array) -> tuple[Int64Array, int]:
    """The sums of what the numbers stand for, zero point taken away, in the output's shape, and how
    many values each has."""
    source, result = view.input(0), view.output
    over = tuple({int(axis) % values.ndim for axis in axes.reshape(-1)})
    sums = (values.astype(np.int64) - source.zero_point).sum(axis=over)
    return sums.reshape(result.shape), values.size // sums.size


def over_axes(
    view: NodeView, values: Mapping[int, Array], step: Callable[[Any, Any], Any], *, start: Any
) -> Array:
    """Totals over the axes that the second input names, one value after the other in the order of
    memory, in the output's shape."""
    source, axes = values[view.input(0).index], values[view.input(1).index]
    over = sorted({int(axis) % source.ndim for axis in axes.reshape(-1)})
    slices = np.moveaxis(source, over, range(len(over)))
    slices = slices.reshape(-1, *slices.shape[len(over) :])
    total: Any = np.full(slices.shape[1:], start, np.asarray(start).dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        for each in slices:
            total = step(total, each)
    return np.asarray(total).reshape(view.output.shape)


def ends_of(dtype: np.dtype[np.generic]) -> tuple[Any, Any]:
    """The least and the greatest number of a type."""
    if dtype.kind == "b":
        return np.False_, np.True_
    limits: Any = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
    return dtype.type(limits.min), dtype.type(limits.max)
