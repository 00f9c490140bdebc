"""SVDF in numpy, directly from its definition: the output, and the new state."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.fixed_point import (
    INT8_MAX,
    INT8_MIN,
    multiply_by_quantized_multiplier,
    quantize_multiplier,
    requantize,
    wrap_int32,
)
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ops._shared.scales import product, quotient
from tinyml_rules.ops.svdf.op import Attrs


def oracle(view: NodeView, values: Mapping[int, Array]) -> tuple[Array, Array]:
    """Both shaped like their tensors."""
    attrs, result = view.node.attrs, view.output
    assert isinstance(attrs, Attrs)
    source, features, times, bias, state = (
        view[name] for name in ("input", "weights", "time weights", "bias", "state")
    )
    image, weights, by_time, base, before = (
        values[tensor.index].astype(np.int64) for tensor in (source, features, times, bias, state)
    )
    memory = times.shape[1]
    made = multiply_by_quantized_multiplier(
        wrap_int32((image - source.zero_point) @ weights.T),
        *_multiplier(view, source, features, state),
    )
    made = np.clip(made, *state.dtype.limits) + state.zero_point
    kept = np.concatenate(
        [before.reshape(len(image), -1, memory)[:, :, 1:], made[:, :, np.newaxis]], axis=2
    )
    kept = kept.astype(state.dtype.numpy)  # an int8 state wraps
    products = (kept.astype(np.int64) - state.zero_point) * by_time
    sums = products.reshape(*result.shape, -1).sum(axis=2) + base.reshape(-1)
    output = requantize(
        wrap_int32(sums),
        *_multiplier(view, state, times, result),
        zero_point=result.zero_point,
        clamp_min=INT8_MIN,
        clamp_max=INT8_MAX,
    )
    return output, kept.reshape(state.shape)


def _multiplier(view: NodeView, source: Tensor, weights: Tensor, result: Tensor) -> tuple[int, int]:
    scale = product(view, source.scale, weights.scale)
    return quantize_multiplier(quotient(view, scale, result.scale))
