"""Constants of operators that sum products of weights and inputs: bias and multipliers, and bounds
of the sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.fixed_point import (
    INT8,
    INT8_MAX,
    INT8_MIN,
    INT32_MAX,
    INT32_MIN,
    multiply_by_quantized_multiplier,
    quantize_multiplier,
    wrap_int32,
)
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ir.program import Work
from tinyml_rules.ir.requantization import Requantization, Requantizes
from tinyml_rules.ops._shared.computed_operands import ComputedNames, computed
from tinyml_rules.ops._shared.scales import factors_of_sums

Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]


def weighted_macs(view: NodeView) -> int:
    """Multiply-accumulates of a node whose second input has the weights, of any type, of every
    output channel; the channels are the output's last dimension."""
    weights, result = view["weights"], view.output
    channels = result.shape[-1] if result.shape else 1
    return result.count * weights.count // max(channels, 1)


def fold_bias(bias: Tensor | None, *, weight_sums: Int64Array, input_zero_point: int) -> Int32Array:
    """bias - input_zero_point * (sum of the channel's weights), modulo 2^32 like the sum itself.

    `weight_sums` has one entry an output channel; the result likewise.
    """
    folded = _folded(bias, weight_sums=weight_sums, input_zero_point=input_zero_point)
    return wrap_int32(folded).astype(np.int32)


def _folded(bias: Tensor | None, *, weight_sums: Int64Array, input_zero_point: int) -> Int64Array:
    return bias_of(bias, len(weight_sums)) - input_zero_point * weight_sums


def bias_of(bias: Tensor | None, channels: int) -> Int64Array:
    """A constant bias of every output channel; 0 where a node leaves it out."""
    if bias is None:
        return np.zeros(channels, np.int64)
    assert bias.data is not None
    return bias.data.astype(np.int64).reshape(-1)


@dataclass(frozen=True)
class SumBounds:
    """Bounds of a node's sums. `overflow`: the text of a warning if a sum, or its rescaled value,
    can leave int32; "" if none can. `most`: the largest magnitude of a sum."""

    overflow: str
    most: int


def sum_bounds(
    view: NodeView, matrix: Array, multiplier: int | Array, shift: int | Array
) -> SumBounds:
    """Bounds of sums with constant weights [outputs][values], for all inputs.

    For every input and every order of adding, the partial sums of a channel stay between two
    numbers: the sum of the least value of each product, and the sum of the greatest.

    Other operators need no such bounds. The sums of ADD stay below 2^29. RELU and QUANTIZE multiply
    by a quotient of two float32 numbers, which is at most 1 - 2^-24 times a power of two, so that
    there is room for a zero point.
    """
    folded = _folded(
        view.optional("bias"),
        weight_sums=matrix.astype(np.int64).sum(axis=1),
        input_zero_point=view["input"].zero_point,
    )
    least, most = ends_of_sums(matrix, folded, view["input"].dtype.limits)
    beyond = beyond_int32(least, most, multiplier, shift, zero_point=view.output.zero_point)
    return SumBounds(beyond, int(max(most.max(), -least.min())))


def ends_of_sums(
    matrix: Array, bias: Array, limits: tuple[int, int] = INT8
) -> tuple[Int64Array, Int64Array]:
    """The least and the greatest partial sum of each output, in any order of adding, of inputs
    within `limits`; an output's weights are a row of the matrix, and the zero point is folded into
    the bias."""
    low, high = limits
    weights = matrix.astype(np.int64)
    positive = np.maximum(weights, 0).sum(axis=1)
    negative = np.minimum(weights, 0).sum(axis=1)
    first, last = np.minimum(bias, 0).astype(np.int64), np.maximum(bias, 0).astype(np.int64)
    return (
        first + low * positive + high * negative,
        last + high * positive + low * negative,
    )


def overflow_of_operands(
    view: NodeView, multiplier: int | Array, shift: int | Array, *, axis: int
) -> str:
    """The same with nothing folded: for all values of computed weights and bias, and with a zero
    point of the weights."""
    source, weights, bias, result = (
        view["input"],
        view["weights"],
        view.optional("bias"),
        view.output,
    )
    outputs = weights.shape[axis]
    first, last = np.full(outputs, INT32_MIN), np.full(outputs, INT32_MAX)
    if bias is None or bias.data is not None:
        first = last = _folded(bias, weight_sums=np.zeros(outputs, np.int64), input_zero_point=0)
    negative, positive = _sums_of_weights(weights, axis=axis)
    low, high = INT8_MIN - source.zero_point, INT8_MAX - source.zero_point
    return beyond_int32(
        np.minimum(first, 0) + low * positive + high * negative,
        np.maximum(last, 0) + high * positive + low * negative,
        multiplier,
        shift,
        zero_point=result.zero_point,
    )


def _sums_of_weights(weights: Tensor, *, axis: int) -> tuple[Int64Array, Int64Array]:
    """The sums of the negative and of the positive weights of each output."""
    assert weights.quantization is not None
    outputs, zero_point = weights.shape[axis], weights.quantization.zero_points[0]
    if weights.data is None:
        ends = np.array([INT8_MIN, INT8_MAX]) - zero_point
        negative, positive = np.repeat(ends * (weights.count // outputs), outputs).reshape(2, -1)
        return negative, positive
    found = np.moveaxis(weights.data, axis, 0).reshape(outputs, -1).astype(np.int64) - zero_point
    return np.minimum(found, 0).sum(axis=1), np.maximum(found, 0).sum(axis=1)


def has_computed_constants(view: NodeView) -> bool:
    """Whether weights or bias are computed; the usual kernels need them as constants."""
    bias = view.optional("bias")
    return not view["weights"].is_constant or not (bias is None or bias.is_constant)


class WithOperands(Requantizes, Protocol):
    """Members of params with nothing folded; None for one that is an operand."""

    @property
    def weights(self) -> Array | None:
        """The weights, if they are constants."""

    @property
    def bias(self) -> Array | None:
        """The same."""


def work_of_operands(view: NodeView, params: WithOperands, *, axis: int) -> Work[ComputedNames]:
    """Work on the whole tensor at once, with computed weights and bias as operands; the weights
    have the output channels along `axis`."""
    operands = [view["input"], view["weights"] if params.weights is None else None]
    operands.append(view.optional("bias") if params.bias is None else None)
    return Work(
        params=params,
        facts=computed(weights=params.weights, bias=params.bias),
        requantization=Requantization.of(params),
        inputs=tuple(tensor.index for tensor in operands if tensor is not None),
        outputs=(view.output.index,),
        macs=weighted_macs(view),
        overflow=overflow_of_operands(view, params.multiplier, params.shift, axis=axis),
    )


def unfolded_bias(tensor: Tensor | None, *, count: int) -> Array | None:
    """The bias as it is in the file; None if it is an operand."""
    if tensor is None:
        return np.zeros(count, np.int32)
    return None if tensor.data is None else tensor.data.reshape(-1)


def beyond_int32(
    least: Int64Array,
    most: Int64Array,
    multiplier: int | Array,
    shift: int | Array,
    *,
    zero_point: int,
) -> str:
    """The text of a warning for sums (one an output) between `least` and `most`, and for their
    rescaled values; "" if int32 holds both."""
    rescaled = _rescaled(least, most, multiplier, shift, zero_point)
    for what, ends in (("the sum", (least, most)), ("the rescaled sum", rescaled)):
        beyond = np.maximum(ends[1] - INT32_MAX, INT32_MIN - ends[0])
        channel = int(beyond.argmax())
        if beyond[channel] > 0:
            reached = max((int(end[channel]) for end in ends), key=abs)
            return f"{what} of output {channel} can reach {reached}, beyond int32: it wraps"
    return ""


def _rescaled(
    least: Int64Array,
    most: Int64Array,
    multiplier: int | Array,
    shift: int | Array,
    zero_point: int,
) -> tuple[Int64Array, Int64Array]:
    """The ends of rescaled sums before the clamp; of the left shift, if that leaves int32."""
    left = np.maximum(np.asarray(shift, np.int64), 0)
    multipliers_ = np.asarray(multiplier, np.int64)
    ends = []
    for end in (least, most):
        shifted = end << left
        is_wrapped = wrap_int32(shifted) != shifted
        scaled = multiply_by_quantized_multiplier(end, multipliers_, np.asarray(shift, np.int64))
        ends.append(np.where(is_wrapped, shifted, scaled + zero_point))
    return ends[0], ends[1]


def multipliers(view: NodeView, *, channels: int) -> tuple[Int32Array, npt.NDArray[np.int8]]:
    """(multiplier, shift) of every output channel.

    `PopulateConvolutionQuantizationParams` of TFLM; one scale is repeated for all channels.
    """
    quantization = view["weights"].quantization
    assert quantization is not None
    scales = quantization.scales
    if len(scales) == 1:
        scales = scales * channels
    pairs = [quantize_multiplier(each) for each in factors_of_sums(view, scales)]
    return (
        np.array([multiplier for multiplier, _ in pairs], np.int32),
        np.array([shift for _, shift in pairs], np.int8),
    )


def single_multiplier(source: Tensor, weights: Tensor, result: Tensor) -> tuple[int, int]:
    """(multiplier, shift) of a per-tensor FULLY_CONNECTED.

    `GetQuantizedConvolutionMultipler` of TFLM.  Its sources before autumn 2026 round the product
    to float32 first; its package multiplies in double, like the convolutions.
    """
    return quantize_multiplier(source.scale * weights.scale / result.scale)
