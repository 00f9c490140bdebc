"""PRELU: x, or alpha times x below 0; alpha broadcasts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tinyml_rules.arithmetic.fixed_point import INT8_MAX, INT8_MIN, quantize_multiplier, requantize
from tinyml_rules.ir.c_struct import Int8, Int32
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.broadcast import SECOND, check_broadcast, has_single_constants
from tinyml_rules.ops._shared.in_numpy import evaluated, moved
from tinyml_rules.ops._shared.operands import int8
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.plain_values import (
    MOST_SIMPLE_RANK,
    plain_meaning,
    plain_operands,
    takes_type,
)
from tinyml_rules.ops._shared.quantization import QuantizationRule
from tinyml_rules.ops._shared.scales import product, quotient
from tinyml_rules.ops._shared.value_kernels import Values, value_meaning

MOST_PRODUCT_FACTOR = 2.0**15
MOST_VALUE_FACTOR = 2.0**22
"""Products, at most 255 * 255, and values, at most 255, stay in int32."""


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct."""

    first_multiplier: Int32
    product_multiplier: Int32
    first_shift: Int8
    product_shift: Int8
    first_zero_point: Int8
    second_zero_point: Int8
    output_zero_point: Int8


def check(view: NodeView) -> Iterator[str]:
    """Factors that int32 has room for, and shapes that agree."""
    source, alpha, result = view["input"], view["alpha"], view.output
    wrong = list(constraints.rescaling(source, result, most=MOST_VALUE_FACTOR))
    yield from wrong or constraints.rescaling(
        source, result, weights=alpha, most=MOST_PRODUCT_FACTOR
    )
    yield from check_shapes(view)


def check_shapes(view: NodeView) -> Iterator[str]:
    """Alpha broadcasts to the input's shape, which the output has."""
    problems = list(check_broadcast(view))
    yield from problems or constraints.shaped(view.output, view["input"].shape)


def params_of(view: NodeView) -> Params:
    """Everything that does not depend on the input's values; `CalculatePreluParams` of TFLM."""
    source, alpha, result = view["input"], view["alpha"], view.output
    first_multiplier, first_shift = quantize_multiplier(quotient(view, source.scale, result.scale))
    product_multiplier, product_shift = quantize_multiplier(
        quotient(view, product(view, source.scale, alpha.scale), result.scale)
    )
    return Params(
        first_multiplier=first_multiplier,
        product_multiplier=product_multiplier,
        first_shift=first_shift,
        product_shift=product_shift,
        first_zero_point=source.zero_point,
        second_zero_point=alpha.zero_point,
        output_zero_point=result.zero_point,
    )


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor; `BroadcastPrelu4DSlow` of TFLM."""
    source, alpha, result = view["input"], view["alpha"], view.output
    centred = values[source.index].astype(np.int64) - source.zero_point
    slopes = values[alpha.index].astype(np.int64) - alpha.zero_point
    slope_scale = product(view, source.scale, alpha.scale)
    products = requantize(
        centred * slopes,
        *quantize_multiplier(quotient(view, slope_scale, result.scale)),
        zero_point=result.zero_point,
        clamp_min=INT8_MIN,
        clamp_max=INT8_MAX,
    )
    return np.where(centred >= 0, moved(view, values[source.index], source, result), products)


def real(view: NodeView, values: Mapping[int, Array]) -> Array:
    """Of float32."""

    def function(first: Array, second: Array) -> Array:
        return np.where(np.greater_equal(first, 0), first, np.multiply(first, second))

    return evaluated(function, view, values)


_VALUES = Values("prelu/kernels/value.c.j2", runtime=("requantize",))

OP = Op(
    name="prelu",
    builtin_code=54,
    inputs=("input", "alpha"),
    summary="int8, float32; alpha broadcasts to the input, constant or computed",
    is_map=has_single_constants,
    meanings=(
        value_meaning(
            "prelu",
            _VALUES,
            oracle,
            takes=takes_type(DType.INT8),
            operands={"input": int8(), "alpha": int8(), "output": int8()},
            check=check,
            params_of=params_of,
            constants=SECOND,
        ),
        plain_meaning(
            "prelu",
            DType.FLOAT32,
            "first >= 0.0f ? first : first * second",
            real,
            constants=SECOND,
            most_rank=MOST_SIMPLE_RANK,
            operands=plain_operands(DType.FLOAT32, DType.FLOAT32, ("input", "alpha")),
            more=check_shapes,
        ),
    ),
    quantization=QuantizationRule(version=1),
)
