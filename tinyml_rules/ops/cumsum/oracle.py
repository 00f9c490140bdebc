"""CUMSUM in numpy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tinyml_rules.arithmetic.fixed_point import (
    INT8_MAX,
    INT8_MIN,
    Int64Array,
    multiply_by_quantized_multiplier,
    quantize_multiplier,
    requantize,
    wrap_int32,
)
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops.cumsum.op import Attrs

BITS = 20
"""Bits by which TFLM shifts the values left before it rescales them."""


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    source, result = view["input"], view.output

    def raised(centred: Int64Array) -> Int64Array:
        return multiply_by_quantized_multiplier(centred * 2**BITS, *quantize_multiplier(0.5))

    terms = raised(values[source.index].astype(np.int64) - source.zero_point)
    sums = _sums(view, values, terms) + raised(np.array(-source.zero_point, np.int64))
    return requantize(
        wrap_int32(sums),
        *quantize_multiplier(2 * source.scale / (2**BITS * result.scale)),
        zero_point=result.zero_point,
        clamp_min=INT8_MIN,
        clamp_max=INT8_MAX,
    )


def oracle_of_plain(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The same of unquantized values; integers wrap."""
    return np.asarray(_sums(view, values, values[view["input"].index]))


def _sums(view: NodeView, values: Mapping[int, Array], terms: Any) -> Any:
    """The sums of all terms up to each, or up to the one before it."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    axis = int(values[view["axis"].index].reshape(-1)[0])
    along = np.moveaxis(terms, axis, 0)
    along = along[::-1] if attrs.reverse else along
    found, total = [], np.zeros(along.shape[1:], along.dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        for each in along:
            before, total = total, np.asarray(total + each)
            found.append(before if attrs.exclusive else total)
    sums = np.stack(found[::-1] if attrs.reverse else found)
    return np.moveaxis(sums, 0, axis)
