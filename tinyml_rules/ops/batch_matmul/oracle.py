"""BATCH_MATMUL in numpy, with numpy's own broadcasting."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.fixed_point import (
    INT8_MAX,
    INT8_MIN,
    multiply_by_16_bits,
    of_16_bits,
    quantize_multiplier,
    requantize,
)
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.products import Numbers, sums_of_products
from tinyml_rules.ops._shared.scales import product
from tinyml_rules.ops.batch_matmul.op import Attrs


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    first, second, result = view["first input"], view["second input"], view.output
    centred = (values[each.index].astype(np.int64) - each.zero_point for each in (first, second))
    return requantize(
        _products(view, *centred),
        *quantize_multiplier(product(view, first.scale, second.scale) / result.scale),
        zero_point=result.zero_point,
        clamp_min=INT8_MIN,
        clamp_max=INT8_MAX,
    )


def oracle_of_int16(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The same of int16: sums of 64 bits, which are multiplied by 16 bits of the multiplier."""
    first, second, result = view["first input"], view["second input"], view.output
    sums = _products(view, *(values[each.index].astype(np.int64) for each in (first, second)))
    factor = product(view, first.scale, second.scale) / result.scale
    multiplier, shift = quantize_multiplier(factor)
    scaled = multiply_by_16_bits(sums, of_16_bits(multiplier), shift)
    return np.clip(scaled, *result.dtype.limits).astype(np.int16)


def oracle_of_real(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The same of real numbers: product after product in float32."""
    return _products(view, *(values[view[name].index] for name in ("first input", "second input")))


def _products(view: NodeView, first: Numbers, second: Numbers) -> Numbers:
    """Of two matrices, batch after batch."""
    attrs, shape = view.node.attrs, view.output.shape
    assert isinstance(attrs, Attrs)
    rows = first.swapaxes(-1, -2) if attrs.adj_x else first
    columns = second if attrs.adj_y else second.swapaxes(-1, -2)
    rows, columns = (
        np.broadcast_to(each, (*shape[:-2], *each.shape[-2:])) for each in (rows, columns)
    )
    found = np.empty(shape, first.dtype)
    for batch in np.ndindex(shape[:-2]):
        found[batch] = sums_of_products(rows[batch], columns[batch])
    return found
