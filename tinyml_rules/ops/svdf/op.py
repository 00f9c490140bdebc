"""SVDF: options, what may be wrong with a node, and its constants.

Each filter keeps its last `memory` results; a unit is the sum of `rank` filters' results times
their time weights. The input's zero point is folded into a bias of the filters, and the state's
into that of the units.
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
from tinyml_rules.ops._shared.operands import Operand, Operands, int8, plain, quantized
from tinyml_rules.ops._shared.scales import product, quotient

STATE_TYPES = (DType.INT16, DType.INT8)
_MOST_BIAS_DIFFERENCE = 1e-5
"""Largest difference of the bias's scale from that of the sums, as in TFLM."""


@dataclass(frozen=True)
class Attrs:
    rank: int = option(0, "int32")
    activation: int = option(1, "int8")


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct.

    weights is [filters][input_count], times [filters][memory]; the members of the feature rescale a
    sum of products with the weights to the state's scale, the others a unit's sum to the
    output's."""

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
    """The element type of a node's state."""
    return view["state"].dtype


def macs(view: NodeView) -> int:
    """Multiply-accumulates: every weight once a batch."""
    batches = view["input"].shape[0] if view["input"].shape else 1
    return batches * (view["weights"].count + view["time weights"].count)


def operands_of(dtype: DType) -> Operands:
    """int8, except for the state and the time weights."""
    matrix = range(2, 3)
    return {
        "input": int8(ranks=matrix),
        "weights": int8(is_constant=True, ranks=matrix, centred=(DType.INT8,)),
        "time weights": Operand(
            type_of="state", is_constant=True, ranks=matrix, scaled=(dtype,), centred=(dtype,)
        ),
        "bias": plain(DType.INT32, is_constant=True, count=units_of),
        "state": quantized(*STATE_TYPES, is_state=True, centred=(DType.INT16,)),
        "output": int8(shape=output_shape),
    }


def output_shape(view: NodeView) -> tuple[int, int]:
    """A vector of units for each of the input."""
    return view["input"].shape[0], units_of(view)


def units_of(view: NodeView) -> int:
    """The number of outputs."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    return view["weights"].shape[0] // attrs.rank


def check_options(view: NodeView) -> Iterator[str]:
    """The fused activation is known, and the rank positive."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    if attrs.activation not in (Activation.NONE, Activation.RELU):
        yield f"fused activation {attrs.activation}, expected 0 (NONE) or 1 (RELU)"
    filters, *others = view["weights"].shape or (0,)
    if len(others) == 1 and (attrs.rank < 1 or filters % attrs.rank):
        yield f"rank {attrs.rank} of {filters} filters, expected a divisor"


def check(view: NodeView) -> Iterator[str]:
    """Shapes and scales that agree."""
    source, weights, times = view["input"], view["weights"], view["time weights"]
    yield from constraints.rescaling(source, view["state"], weights=weights)
    yield from constraints.rescaling(view["state"], view.output, weights=times)
    yield from check_shapes(view)
    if times.shape[0] == weights.shape[0]:
        yield from _check_bias_scale(view["bias"], view["state"].scale * times.scale)


def check_shapes(view: NodeView) -> Iterator[str]:
    """Shapes that agree."""
    source, weights, times = view["input"], view["weights"], view["time weights"]
    filters, input_count = weights.shape
    if source.shape[1] != input_count:
        shape = list(source.shape)
        yield f"input tensor {source} has shape {shape}, expected vectors of {input_count}"
    if times.shape[0] != filters:
        shape = list(times.shape)
        yield f"time weights tensor {times} has shape {shape}, expected {filters} vectors"
        return
    kept = (source.shape[0], times.shape[1] * filters)
    yield from constraints.shaped(view["state"], kept, role="state")


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
    source, state = view["input"], view["state"]
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
    source, state, result = view["input"], view["state"], view.output
    features, times, bias = (_values(view, name) for name in ("weights", "time weights", "bias"))
    feature_multiplier, feature_shift = _multiplier(view, source, view["weights"], state)
    multiplier, shift = _multiplier(view, state, view["time weights"], result)
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


def _values(view: NodeView, name: str) -> Int64Array:
    data = view[name].data
    assert data is not None
    return data.astype(np.int64)


def _multiplier(view: NodeView, source: Tensor, weights: Tensor, result: Tensor) -> tuple[int, int]:
    scale = product(view, source.scale, weights.scale)
    return quantize_multiplier(quotient(view, scale, result.scale))


def _overflow(params: Params, dtype: DType) -> str:
    """The text of a warning if a filter's or a unit's sum can leave int32 for any inputs; "" if
    none can."""
    least, most = _ends(params.weights, INT8_MIN, INT8_MAX, params.feature_bias)
    found = beyond_int32(least, most, params.feature_multiplier, params.feature_shift, zero_point=0)
    if found:
        return found
    kept = [
        multiply_by_quantized_multiplier(end, params.feature_multiplier, params.feature_shift)
        for end in (least, most)
    ]
    low, high = dtype.limits
    if dtype is DType.INT16:  # any other may wrap at its zero point; the first values are 0
        low, high = (int(end) for end in np.clip([kept[0].min(), kept[1].max()], low, high))
        low, high = min(low, 0), max(high, 0)
    least, most = _ends(params.times.reshape(params.units, -1), low, high, params.bias)
    return beyond_int32(
        least, most, params.multiplier, params.shift, zero_point=params.output_zero_point
    )


def _ends(weights: Array, low: int, high: int, bias: Array) -> tuple[Int64Array, Int64Array]:
    """The least and the greatest partial sum of a row with values from `low` to `high`."""
    positive = np.maximum(weights, 0).astype(np.int64).sum(axis=1)
    negative = np.minimum(weights, 0).astype(np.int64).sum(axis=1)
    base = bias.astype(np.int64)
    least = np.minimum(base, 0) + min(low, 0) * positive + max(high, 0) * negative
    most = np.maximum(base, 0) + max(high, 0) * positive + min(low, 0) * negative
    return least, most
