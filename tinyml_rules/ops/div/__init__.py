"""DIV: the first tensor divided by the second, broadcast if their shapes differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tinyml_rules.arithmetic.exponential import reciprocal_of_one_plus
from tinyml_rules.arithmetic.fixed_point import (
    Activation,
    Int64Array,
    clamp_range,
    quantize_multiplier,
    rounding_high_multiply,
    rounding_shift_right,
)
from tinyml_rules.ir.c_struct import Int8, Int32
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.activated import ActivationAttrs, activation_of, check_activation
from tinyml_rules.ops._shared.broadcast import check_broadcast, has_single_constants
from tinyml_rules.ops._shared.dividing import check_divisor
from tinyml_rules.ops._shared.in_numpy import activated, bounds
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.plain_values import clamped_meaning, takes_type, unscaled
from tinyml_rules.ops._shared.quantization import Numbers, affine_rule
from tinyml_rules.ops._shared.scales import product, quotient
from tinyml_rules.ops._shared.value_kernels import Values, value_meaning

MOST_FACTOR = 2.0**22
"""The last shift is never to the left: a dividend of 8 bits is raised by 23 or more."""
BY_ZERO = 1515870788
"""Minus what `GetReciprocal` of TFLM makes of 0, in Q0: its steps of Newton and Raphson wrap."""


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct."""

    reciprocals: Array
    multiplier: Int32
    shift: Int8
    first_zero_point: Int8
    second_zero_point: Int8
    output_zero_point: Int8
    clamp_min: Int8
    clamp_max: Int8


def check(view: NodeView) -> Iterator[str]:
    """Shapes that broadcast to the output's."""
    first, second, result = view["first input"], view["second input"], view.output
    yield from check_broadcast(view)
    if first.scale / (second.scale * result.scale) >= MOST_FACTOR:
        yield (
            f"output tensor {result} has scale {result.scale:g}, too small for a quotient of "
            f"{first.scale:g} and {second.scale:g}"
        )


def params_of(view: NodeView) -> Params:
    """Everything that does not depend on the input's values; `CalculateOpDataDiv` of TFLM."""
    first, second, result = view["first input"], view["second input"], view.output
    multiplier, shift = quantize_multiplier(
        quotient(view, first.scale, product(view, second.scale, result.scale))
    )
    clamp_min, clamp_max = clamp_range(
        Activation(activation_of(view)), scale=result.scale, zero_point=result.zero_point
    )
    return Params(
        reciprocals=reciprocal_of_one_plus(np.arange(128) << 24).astype(np.int32),
        multiplier=multiplier,
        shift=shift,
        first_zero_point=first.zero_point,
        second_zero_point=second.zero_point,
        output_zero_point=result.zero_point,
        clamp_min=clamp_min,
        clamp_max=clamp_max,
    )


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


@dataclass(frozen=True)
class ByZero(Variant):
    """Words of the function of int8 values."""

    by_zero: int
    """The quotient, before it is requantized, of a negative number by 0."""


_VALUES = Values(
    "div/kernels/value.c.j2",
    runtime=("rounding_high_multiply", "rounding_shift_right"),
    function=ByZero(BY_ZERO),
)


def _quotient(values: Numbers, is_first: bool) -> tuple[Numbers, Numbers] | None:
    """The factor and the term of a constant divisor."""
    return None if is_first or not values.all() else (1 / values, np.zeros(()))


OP = Op(
    name="div",
    builtin_code=42,
    options_type=29,
    attrs=ActivationAttrs,
    inputs=("first input", "second input"),
    options=check_activation,
    summary="int8, int32, float32; broadcast up to 5 dimensions; either input constant; fused "
    "activation; int8 by 0 as in TFLM, int32 by 0 is 0",
    is_map=has_single_constants,
    meanings=(
        value_meaning(
            "div",
            _VALUES,
            oracle,
            takes=takes_type(DType.INT8),
            check=check,
            params_of=params_of,
        ),
        clamped_meaning(
            "div",
            DType.INT32,
            "second == 0 ? 0 : second == -1 ? (int32_t)(0u - (uint32_t)first) : first / second",
            of_int32,
            called="quotient",
            more=lambda view: (*unscaled(view), *check_divisor(view)),
        ),
        clamped_meaning("div", DType.FLOAT32, "first / second", of_float32, called="quotient"),
    ),
    quantization=affine_rule(_quotient),
)
