"""An LSTM in numpy, gate by gate as TFLM's kernel does it: the output, and both new states."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.fixed_point import (
    Int64Array,
    multiply_by_16_bits,
    multiply_by_quantized_multiplier,
    of_16_bits,
    quantize_multiplier,
    wrap_int32,
)
from tinyml_rules.arithmetic.interpolated import interpolated_logistic, interpolated_tanh
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ops._shared.products import sums_of_products
from tinyml_rules.ops.unidirectional_sequence_lstm.op import Attrs

Numbers = npt.NDArray[Any]
Step = Callable[[Numbers, Numbers, Numbers], tuple[Numbers, Numbers]]
"""From vectors [sequence][count] and both states to the new states."""


def in_steps(
    view: NodeView, values: Mapping[int, Array], step: Step
) -> tuple[Numbers, Numbers, Numbers]:
    """All vectors of a node one after the other; results shaped like their tensors."""
    source, attrs = values[view["input"].index], view.node.attrs
    assert isinstance(attrs, Attrs)
    states = [view[name] for name in ("hidden state", "cell state")]
    vectors = source if attrs.is_time_major else np.swapaxes(source, 0, 1)
    hidden, cell = (values[each.index].reshape(vectors.shape[1], -1) for each in states)
    made = []
    for each in vectors:
        hidden, cell = step(each, hidden, cell)
        made.append(hidden)
    output = np.stack(made, axis=0 if attrs.is_time_major else 1)
    return output, hidden.reshape(states[0].shape), cell.reshape(states[1].shape)


def oracle(view: NodeView, values: Mapping[int, Array]) -> tuple[Array, ...]:
    """Of integers."""
    attrs, hidden_tensor = view.node.attrs, view["hidden state"]
    assert isinstance(attrs, Attrs)
    cell_scale, clip = view["cell state"].scale, attrs.cell_clip
    unit = 2.0**-15

    def gate(name: str, vectors: Int64Array, hidden: Int64Array) -> Int64Array:
        weights, recurrent = view[f"{name} weights"], view[f"{name} recurrent weights"]
        own = sums_of_products(vectors - view["input"].zero_point, _wide(values, weights))
        own = own + _wide(values, view[f"{name} bias"]).reshape(-1)
        other = sums_of_products(hidden - hidden_tensor.zero_point, _wide(values, recurrent))
        return _int16(
            _brought(own, view["input"], weights) + _brought(other, hidden_tensor, recurrent)
        )

    def step(vectors: Numbers, hidden: Numbers, cell: Numbers) -> tuple[Numbers, Numbers]:
        wide, kept, before = (each.astype(np.int64) for each in (vectors, hidden, cell))
        forget, into, fresh, out = (
            gate(name, wide, kept)
            for name in ("forget gate", "input gate", "cell gate", "output gate")
        )
        old = _product(interpolated_logistic(3 * forget), before, unit * cell_scale / cell_scale)
        new = _product(
            interpolated_logistic(3 * into), interpolated_tanh(3 * fresh), unit * unit / cell_scale
        )
        after = _int16(_int16(old) + _int16(new))
        if clip > 0:
            most = math.trunc(min(clip / cell_scale, 32767.0))
            after = np.clip(after, -most, most)
        squashed = _tanh(after, round(math.log2(cell_scale)))
        found = _product(
            squashed, interpolated_logistic(3 * out), unit * unit / hidden_tensor.scale
        )
        made = np.clip(found + hidden_tensor.zero_point, *hidden_tensor.dtype.limits)
        return made.astype(hidden.dtype), after.astype(cell.dtype)

    return in_steps(view, values, step)


def _wide(values: Mapping[int, Array], tensor: Tensor) -> Int64Array:
    return values[tensor.index].astype(np.int64)


def _brought(sums: Int64Array, source: Tensor, weights: Tensor) -> Int64Array:
    """The results of a layer, int16 in units of 2^-12."""
    multiplier, shift = quantize_multiplier(source.scale * weights.scale / 2.0**-12)
    if source.dtype is DType.INT16:
        return _int16(multiply_by_16_bits(sums, of_16_bits(multiplier), shift))
    return _int16(multiply_by_quantized_multiplier(wrap_int32(sums), multiplier, shift))


def _product(one: Int64Array, other: Int64Array, factor: float) -> Int64Array:
    return multiply_by_quantized_multiplier(one * other, *quantize_multiplier(factor))


def _int16(values: Int64Array) -> Int64Array:
    return np.clip(values, *DType.INT16.limits)


def _tanh(cell: Int64Array, power: int) -> Int64Array:
    """Of a cell in units of 2^power."""
    shift = power + 12
    if shift >= 0:
        return interpolated_tanh((3 * cell) << shift)
    return interpolated_tanh((3 * cell + (1 << (-shift - 1))) >> -shift)
