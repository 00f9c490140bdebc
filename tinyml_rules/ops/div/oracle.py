"""DIV in numpy, with numpy's own broadcasting."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.exponential import reciprocal_of_one_plus
from tinyml_rules.arithmetic.fixed_point import (
    Int64Array,
    quantize_multiplier,
    rounding_high_multiply,
    rounding_shift_right,
)
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.activated import activation_of
from tinyml_rules.ops._shared.in_numpy import activated, bounds
from tinyml_rules.ops._shared.scales import product, quotient

OF_ZERO = -1515870788
"""What the steps of Newton and Raphson make of a number of which every bit is 0, with wraps."""


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor; `DivElementwise` of TFLM.

    TFLM shifts by 32 bits and more where a quotient is too small, which C does not define: here
    they give 0."""
    result = view.output
    dividend, divisor = np.broadcast_arrays(
        *(
            values[each.index].astype(np.int64) - each.zero_point
            for each in (view["first input"], view["second input"])
        )
    )
    dividend, divisor = dividend * np.where(divisor < 0, -1, 1), np.abs(divisor)
    headroom = 31 - _bits(np.where(dividend < 0, -dividend - 1, dividend))
    above = _bits(divisor) - 1
    raised = np.where(divisor > 0, divisor << (31 - above), 2**31)
    reciprocal = np.where(divisor > 0, reciprocal_of_one_plus(raised - 2**31), OF_ZERO)
    scale = product(view, view["second input"].scale, result.scale)
    factor = quotient(view, view["first input"].scale, scale)
    multiplier, shift = quantize_multiplier(factor)
    found = rounding_high_multiply(
        rounding_high_multiply(dividend << headroom, reciprocal), multiplier
    )
    down = headroom + above - shift
    found = np.where(down > 31, 0, rounding_shift_right(found, np.minimum(down, 31)))
    low, high = bounds(result, activation_of(view))
    return np.clip(found + result.zero_point, low, high).astype(np.int8)


def of_int32(view: NodeView, values: Mapping[int, Array]) -> Array:
    """Cut off towards zero as in C; by 0 it is 0."""

    def cut_off(first: Array, second: Array) -> Int64Array:
        dividend, divisor = first.astype(np.int64), second.astype(np.int64)
        size = np.abs(dividend) // np.maximum(np.abs(divisor), 1)
        return np.where(divisor == 0, 0, size * np.sign(dividend) * np.sign(divisor))

    return activated(cut_off, view, values)


def of_float32(view: NodeView, values: Mapping[int, Array]) -> Array:
    """As IEEE has it, by 0 too; then the activation."""
    return activated(np.divide, view, values)


def _bits(values: Int64Array) -> Int64Array:
    """How many bits numbers from 0 to 255 have."""
    return np.searchsorted(2 ** np.arange(9), values, side="right").astype(np.int64)
