"""SVDF: options, what may be wrong with a node, and its constants.

Each of the filters keeps its last `memory` results; a unit is the sum of what `rank` filters make
of theirs.  The input's zero point is folded into a bias of the filters, and the state's into that
of the units.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tinyml_rules.arithmetic.fixed_point import (
    INT8_MAX,
    INT8_MIN,
    Activation,
    Int64Array,
    multiply_by_quantized_multiplier,
    quantize_multiplier,
    wrap_int32,
)
from tinyml_rules.ir.c_struct import Int, Int8, Int32
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ir.options import option
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.accumulate import beyond_int32
from tinyml_rules.ops._shared.scales import product, quotient

STATE_TYPES = (DType.INT16, DType.INT8)
_INPUT, _FEATURES, _TIMES, _BIAS, _STATE = range(5)
_MOST_BIAS_DIFFERENCE = 1e-5
"""Of its scale from that of the sums, as in TFLM."""


@dataclass(frozen=True)
class Attrs:
    rank: int = option(0, "int32")
    activation: int = option(1, "int8")


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct.

    weights is [filters][input_count], times [filters][memory]; the feature's members bring a sum of
    products with the weights to the state's scale, the others a unit's sum to the output's."""

    weights: Array
    feature_bias: Array
    times: Array
    bias: Array
    feature_multiplier: Int32
    multiplier: Int32
    feature_shift: Int8
    shift: Int8
    state_zero_point: Int8
    output_zero_point: Int8
    batches: Int
    units: Int
    rank: Int
    memory: Int
    input_count: Int


def state_type(view: NodeView) -> DType:
    """The type of the values that a node keeps."""
    return view.input(_STATE).dtype


def macs(view: NodeView) -> int:
    """Multiply-accumulates: every weight once a batch."""
    batches = view.input(_INPUT).shape[0] if view.input(_INPUT).shape else 1
    return batches * (view.input(_FEATURES).count + view.input(_TIMES).count)


def check(view: NodeView) -> Iterator[str]:
    """int8 but for the state and the weights of its values; shapes and scales that agree."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    source, features, state = view.input(_INPUT), view.input(_FEATURES), view.input(_STATE)
    problems = [
        *constraints.quantized(source, "input"),
        *constraints.quantized(view.output, "output"),
        *constraints.weights(features, axis=0, rank=2),
        *constraints.per_tensor(features, "weights"),
        *constraints.variable(view, state, "state", *STATE_TYPES),
    ]
    if not problems:
        problems += _check_times(view)
    if attrs.activation not in (Activation.NONE, Activation.RELU):
        problems.append(f"fused activation {attrs.activation}, expected 0 (NONE) or 1 (RELU)")
    yield from problems
    if problems:
        return
    yield from constraints.rescaling(source, state, weights=features)
    yield from constraints.rescaling(state, view.output, weights=view.input(_TIMES))
    yield from _check_shapes(view, attrs.rank)


def _check_times(view: NodeView) -> Iterator[str]:
    """The weights of the values kept: constants of the state's type, of zero point 0."""
    times, state = view.input(_TIMES), view.input(_STATE)
    wrong = list(constraints.typed(times, "time weights", state.dtype))
    if not wrong and times.data is None:
        wrong.append(f"time weights tensor {times} is computed at run time, expected a constant")
    wrong = wrong or list(constraints.per_tensor(times, "time weights"))
    yield from wrong
    if not wrong and times.zero_point:
        yield f"time weights tensor {times} has zero point {times.zero_point}, expected 0"
    if state.dtype is DType.INT16 and state.zero_point:
        yield f"state tensor {state} has zero point {state.zero_point}, expected 0"


def _check_shapes(view: NodeView, rank: int) -> Iterator[str]:
    """All shapes follow from those of input and weights, and the rank."""
    source, times = view.input(_INPUT), view.input(_TIMES)
    filters, input_count = view.input(_FEATURES).shape
    if len(source.shape) != 2 or source.shape[1] != input_count:
        shape = list(source.shape)
        yield f"input tensor {source} has shape {shape}, expected vectors of {input_count}"
        return
    if len(times.shape) != 2 or times.shape[0] != filters:
        shape = list(times.shape)
        yield f"time weights tensor {times} has shape {shape}, expected {filters} vectors"
        return
    if rank < 1 or filters % rank:
        yield f"rank {rank} of {filters} filters, expected a divisor"
        return
    batches, memory, units = source.shape[0], times.shape[1], filters // rank
    yield from constraints.shaped(view.output, (batches, units))
    state = view.input(_STATE)
    if state.shape != (batches, memory * filters):
        expected = [batches, memory * filters]
        yield f"state tensor {state} has shape {list(state.shape)}, expected {expected}"
    bias = view.input(_BIAS)
    wrong = list(constraints.bias(bias, count=units))
    yield from wrong
    if not wrong:
        yield from _check_bias_scale(bias, state.scale * times.scale)


def _check_bias_scale(bias: Tensor, expected: float) -> Iterator[str]:
    scale = bias.quantization.scales[0] if bias.quantization else 0.0
    if abs(scale - expected) > _MOST_BIAS_DIFFERENCE:
        yield (
            f"bias tensor {bias} has scale {scale:g}, expected {expected:g}, the product of the "
            "scales of state and time weights"
        )


def prepare(view: NodeView) -> Work:
    """The whole batch at once."""
    params = params_of(view)
    source, state = view.input(_INPUT), view.input(_STATE)
    return Work(
        params=params,
        inputs=(source.index, state.index),
        outputs=(view.output.index,),
        macs=macs(view),
        overflow=_overflow(params, state.dtype),
    )


def params_of(view: NodeView) -> Params:
    """Everything that does not depend on the input's values."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    source, state, result = view.input(_INPUT), view.input(_STATE), view.output
    features, times, bias = (_values(view, place) for place in (_FEATURES, _TIMES, _BIAS))
    feature_multiplier, feature_shift = _multiplier(view, source, view.input(_FEATURES), state)
    multiplier, shift = _multiplier(view, state, view.input(_TIMES), result)
    filters, input_count = features.shape
    units = filters // attrs.rank
    feature_bias = -source.zero_point * features.sum(axis=1)
    state_bias = (-state.zero_point * times.sum(axis=1)).reshape(units, -1).sum(axis=1)
    return Params(
        weights=features.astype(np.int8),
        feature_bias=wrap_int32(feature_bias).astype(np.int32),
        times=times.astype(state.dtype.numpy),
        bias=wrap_int32(bias.reshape(-1) + state_bias).astype(np.int32),
        feature_multiplier=feature_multiplier,
        multiplier=multiplier,
        feature_shift=feature_shift,
        shift=shift,
        state_zero_point=state.zero_point,
        output_zero_point=result.zero_point,
        batches=source.shape[0],
        units=units,
        rank=attrs.rank,
        memory=times.shape[1],
        input_count=input_count,
    )


def _values(view: NodeView, place: int) -> Int64Array:
    data = view.input(place).data
    assert data is not None
    return data.astype(np.int64)


def _multiplier(view: NodeView, source: Tensor, weights: Tensor, result: Tensor) -> tuple[int, int]:
    scale = product(view, source.scale, weights.scale)
    return quantize_multiplier(quotient(view, scale, result.scale))


def _overflow(params: Params, dtype: DType) -> str:
    """What a warning says where a filter's sum or a unit's can leave int32, whatever was seen."""
    least, most = _ends(params.weights, INT8_MIN, INT8_MAX, params.feature_bias)
    found = beyond_int32(least, most, params.feature_multiplier, params.feature_shift, zero_point=0)
    if found:
        return found
    kept = [
        multiply_by_quantized_multiplier(end, params.feature_multiplier, params.feature_shift)
        for end in (least, most)
    ]
    low, high = dtype.limits
    if dtype is DType.INT16:  # another may wrap at its zero point; the first values are 0
        low, high = (int(end) for end in np.clip([kept[0].min(), kept[1].max()], low, high))
        low, high = min(low, 0), max(high, 0)
    least, most = _ends(params.times.reshape(params.units, -1), low, high, params.bias)
    return beyond_int32(
        least, most, params.multiplier, params.shift, zero_point=params.output_zero_point
    )


def _ends(weights: Array, low: int, high: int, bias: Array) -> tuple[Int64Array, Int64Array]:
    """The least and the most of a row's sum with values from `low` to `high`, and on the way."""
    positive = np.maximum(weights, 0).astype(np.int64).sum(axis=1)
    negative = np.minimum(weights, 0).astype(np.int64).sum(axis=1)
    base = bias.astype(np.int64)
    least = np.minimum(base, 0) + min(low, 0) * positive + max(high, 0) * negative
    most = np.maximum(base, 0) + max(high, 0) * positive + min(low, 0) * negative
    return least, most
