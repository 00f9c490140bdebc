"""SQUARED_DIFFERENCE: the square of the difference of two tensors, broadcast if their shapes
differ.

Quantized inputs are rescaled to a common scale, twice the larger one, and those of int8 shifted
left by 7 bits; the square of their difference is rescaled to the output's scale.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tinyml_rules.ir.contract import Contract
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.broadcast import (
    SECOND,
    check_broadcast,
    constant_last,
    has_single_constants,
)
from tinyml_rules.ops._shared.common_scale import CommonScale, common_scale
from tinyml_rules.ops._shared.in_numpy import evaluated, in_common_scale, requantized
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.plain_values import plain_meaning
from tinyml_rules.ops._shared.quantization import FREE
from tinyml_rules.ops._shared.quantized_values import QUANTIZED, quantized_meaning

LEFT_SHIFTS = {DType.INT8: 7, DType.INT16: 0}
MOST_FACTORS = {DType.INT8: 2.0, DType.INT16: 1.0}
"""With them every square, at most 32640 * 32640 or 2^30, stays in int32."""


def check(view: NodeView) -> Iterator[str]:
    """Shapes that broadcast to the output's."""
    yield from check_broadcast(view)
    if _factor(view) >= MOST_FACTORS[view.output.dtype]:
        yield (
            f"output tensor {view.output} has scale {view.output.scale:g}, too small for the "
            "square of its inputs' difference"
        )


def _factor(view: NodeView) -> float:
    """From the scale of the squares to the output's."""
    common = 2 * max(view["first input"].scale, view["second input"].scale)
    return common * common / (2.0 ** (2 * LEFT_SHIFTS[view.output.dtype]) * view.output.scale)


def params_of(view: NodeView) -> CommonScale:
    """Everything that does not depend on the input's values; `PrepareQuantized` of TFLM."""
    return common_scale(constant_last(view), view.output, _factor(view))


BITS = {DType.INT8: 7, DType.INT16: 0}
"""By which the inputs are shifted left before they are rescaled."""


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output of int8 and int16, shaped like the output tensor."""
    result = view.output
    first, second, scale = in_common_scale(view, values, bits=BITS[result.dtype])
    return requantized(result, (first - second) ** 2, scale**2 / result.scale)


def plain(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output of int32 and float32."""

    def square(first: Array, second: Array) -> Array:
        return np.square(np.subtract(first, second))

    return evaluated(square, view, values)


_HALVES = (
    "first_shift < 0 || first_multiplier <= 1073741824",
    "second_shift < 0 || second_multiplier <= 1073741824",
)
"""The common scale is twice the larger one."""
CONTRACTS = {
    DType.INT8: Contract(requires=_HALVES),
    DType.INT16: Contract(requires=(*_HALVES, "first_zero_point == 0 && second_zero_point == 0")),
}


@dataclass(frozen=True)
class Raised(Variant):
    """Words of the function of values."""

    bits: int
    """By which values are shifted left at the common scale."""


_DIFFERENCE = "((uint32_t)first - (uint32_t)second)"


OP = Op(
    name="squared_difference",
    builtin_code=99,
    options_type=76,
    inputs=("first input", "second input"),
    summary="int8, int16, int32, float32; broadcast up to 5 dimensions; either input constant",
    is_map=has_single_constants,
    meanings=(
        *(
            quantized_meaning(
                "squared_difference",
                dtype,
                "squared_difference/kernels/value.c.j2",
                oracle,
                runtime=("rescale", "requantize"),
                function=Raised(LEFT_SHIFTS[dtype]),
                check=check,
                params_of=params_of,
                order=constant_last,
                constants=SECOND,
                contract=CONTRACTS[dtype],
            )
            for dtype in QUANTIZED
        ),
        *(
            plain_meaning(
                "squared_difference",
                dtype,
                expression,
                plain,
                constants=SECOND,
                order=constant_last,
            )
            for dtype, expression in (
                (DType.INT32, f"(int32_t)({_DIFFERENCE} * {_DIFFERENCE})"),
                (DType.FLOAT32, "(first - second) * (first - second)"),
            )
        ),
    ),
    quantization=FREE,
)
