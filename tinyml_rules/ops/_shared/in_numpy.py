"""What the oracles share: definitions in numpy, and nothing that `prepare` computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.fixed_point import (
    Activation,
    Int64Array,
    clamp_range,
    multiply_by_16_bits,
    multiply_by_quantized_multiplier,
    of_16_bits,
    quantize_multiplier,
    wrap_int32,
)
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ops._shared.activated import activation_of, plain_bounds
from tinyml_rules.ops._shared.scales import factors_of_sums, quotient

Int8Array = npt.NDArray[np.int8]


def bounds(result: Tensor, activation: int) -> tuple[int, int]:
    """The bounds of a fused activation, in the output's quantization and within its type."""
    return clamp_range(
        Activation(activation),
        scale=result.scale,
        zero_point=result.zero_point,
        limits=result.dtype.limits,
    )


def requantized(
    result: Tensor, acc: Int64Array, factor: float, activation: int = Activation.NONE
) -> npt.NDArray[Any]:
    """int32 sums times a factor, in the output's zero point and type, clamped by an activation."""
    scaled = multiply_by_quantized_multiplier(acc, *quantize_multiplier(factor))
    clamped = np.clip(wrap_int32(scaled + result.zero_point), *bounds(result, activation))
    return clamped.astype(result.dtype.numpy)


def moved(
    view: NodeView, values: Array, source: Tensor, activation: int = Activation.NONE
) -> npt.NDArray[Any]:
    """The same values in the output's quantization, clamped by an activation."""
    result = view.output
    distances = values.astype(np.int64) - source.zero_point
    return requantized(result, distances, quotient(view, source.scale, result.scale), activation)


def weighted_output(
    view: NodeView, products: Int64Array, values: Mapping[int, Array], activation: int
) -> npt.NDArray[Any]:
    """The output of sums of products of input and weights, channels last: the bias is added, and
    each channel brought from the scale of its sums to the output's."""
    result, bias, of_weights = view.output, view.optional("bias"), view["weights"].quantization
    assert of_weights is not None
    factors = factors_of_sums(view, of_weights.scales)
    multiplier, shift = np.array([quantize_multiplier(each) for each in factors], np.int64).T
    if result.dtype is DType.INT16 and (bias is None or bias.dtype is not DType.INT32):
        sums = products if bias is None else products + values[bias.index].astype(np.int64)
        scaled = multiply_by_16_bits(sums, of_16_bits(multiplier), shift)
    else:
        sums = weighted_sums(view, products, values)
        scaled = multiply_by_quantized_multiplier(sums, multiplier, shift)
    clamped = np.clip(wrap_int32(scaled + result.zero_point), *bounds(result, activation))
    return clamped.astype(result.dtype.numpy)


def weighted_reals(
    view: NodeView, products: npt.NDArray[Any], values: Mapping[int, Array], activation: int
) -> Array:
    """The same of real numbers, in the output's shape: the bias is added last, as in TFLM."""
    bias, sums = view.optional("bias"), products
    with np.errstate(over="ignore", invalid="ignore"):
        if bias is not None:
            sums = sums + values[bias.index].astype(np.float32).reshape(-1)
    return within(sums, activation, view.output.dtype).reshape(view.output.shape)


def weighted_sums(view: NodeView, products: Int64Array, values: Mapping[int, Array]) -> Int64Array:
    """Those with the bias, as int32 holds them."""
    bias = view.optional("bias")
    return wrap_int32(
        products if bias is None else products + values[bias.index].astype(np.int64).reshape(-1)
    )


def weighted_factors(view: NodeView) -> list[float]:
    """From the scale of the sums to the output's, for each scale of the weights."""
    source, weights, result = view["input"], view["weights"], view.output
    assert weights.quantization is not None
    before, after = source.scale, result.scale
    return [before * scale / after for scale in weights.quantization.scales]


def sums_over_axes(view: NodeView, values: Array, axes: Array) -> tuple[Int64Array, int]:
    """The sums of the values minus the zero point, in the output's shape, and the number of values
    in each."""
    source, result = view["input"], view.output
    over = tuple({int(axis) % values.ndim for axis in axes.reshape(-1)})
    sums = (values.astype(np.int64) - source.zero_point).sum(axis=over)
    return sums.reshape(result.shape), values.size // sums.size


def requantized_sums(
    view: NodeView, sums: Int64Array, *, multiplier: int, shift: int
) -> npt.NDArray[Any]:
    """Sums in the output's quantization, as int8 or uint8."""
    result = view.output
    scaled = multiply_by_quantized_multiplier(sums, multiplier, shift) + result.zero_point
    return np.clip(wrap_int32(scaled), *result.dtype.limits).astype(result.dtype.numpy)


def evaluated(
    function: Callable[..., npt.NDArray[Any]], view: NodeView, values: Mapping[int, Array]
) -> Array:
    """A function of all inputs as they are, as numbers of the output's type: int32 wraps."""
    with np.errstate(all="ignore"):  # infinities and NaN are valid results
        found = function(*(values[each.index] for each in view.inputs if each is not None))
    if view.output.dtype is DType.INT32:
        found = wrap_int32(found.astype(np.int64))
    return np.asarray(found).astype(view.output.dtype.numpy)


def activated(
    function: Callable[..., npt.NDArray[Any]], view: NodeView, values: Mapping[int, Array]
) -> Array:
    """The same with a fused activation; NaN stays NaN."""
    found: Any = evaluated(function, view, values)
    return within(found, activation_of(view), view.output.dtype)


def within(found: Any, activation: int, dtype: DType) -> npt.NDArray[Any]:
    """Unquantized values clamped by a fused activation; NaN stays NaN."""
    low, high = plain_bounds(activation, dtype)
    raised = np.where(found < low, low, found)
    return np.where(raised > high, high, raised).astype(dtype.numpy)


def in_common_scale(
    view: NodeView, values: Mapping[int, Array], *, bits: int
) -> tuple[Int64Array, Int64Array, float]:
    """Both inputs, shifted left by `bits`, in twice the larger scale; and the resulting scale."""
    inputs = (view["first input"], view["second input"])
    scale = 2 * max(tensor.scale for tensor in inputs)
    first, second = (
        multiply_by_quantized_multiplier(
            (values[each.index].astype(np.int64) - each.zero_point) * 2**bits,
            *quantize_multiplier(each.scale / scale),
        )
        for each in inputs
    )
    return first, second, scale / 2**bits


def compared(
    function: Callable[..., npt.NDArray[Any]],
    view: NodeView,
    values: Mapping[int, Array],
    *,
    scaled: tuple[DType, ...] = (DType.INT8,),
) -> Array:
    """A relation of all inputs: types that are `scaled` as real numbers in steps of 1/256
    (`ComparisonWithScaling` of TFLM), all else as it is."""
    inputs = (view["first input"], view["second input"])
    if inputs[0].dtype not in scaled:
        return evaluated(function, view, values)
    first, second = (
        multiply_by_quantized_multiplier(
            (values[each.index].astype(np.int64) - each.zero_point) << 8,
            *quantize_multiplier(each.scale),
        )
        for each in inputs
    )
    return np.asarray(function(first, second))


def sums_in_order(windows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The sums of windows [batch, height, width, rows, columns, channels] in the order of C, which
    begins with 0; a cell that holds 0 changes none."""
    cells = windows.reshape(*windows.shape[:3], -1, windows.shape[5])
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(np.add.accumulate(cells, axis=3)[:, :, :, -1] + np.float32(0))


def over_axes(
    view: NodeView, values: Mapping[int, Array], step: Callable[[Any, Any], Any], *, start: Any
) -> Array:
    """Reductions over the axes that `axis` names, value after value in memory order, in the
    output's shape."""
    source, axes = values[view["input"].index], values[view["axis"].index]
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
