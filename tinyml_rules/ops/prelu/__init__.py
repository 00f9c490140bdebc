"""PRELU: x, or alpha times x below 0; alpha broadcasts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tinyml_rules.arithmetic.fixed_point import quantize_multiplier
from tinyml_rules.ir.c_struct import Int8
from tinyml_rules.ir.contract import Contract, Multiplier, ProductShift, ValueShift
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.broadcast import SECOND, check_broadcast, has_single_constants
from tinyml_rules.ops._shared.in_numpy import evaluated, moved, requantized
from tinyml_rules.ops._shared.operands import int8, value_of
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.plain_values import (
    MOST_SIMPLE_RANK,
    plain_meaning,
    plain_operands,
)
from tinyml_rules.ops._shared.quantization import QuantizationRule
from tinyml_rules.ops._shared.quantized_values import QUANTIZED, quantized_meaning
from tinyml_rules.ops._shared.scales import product, quotient

MOST_PRODUCT_FACTORS = {DType.INT8: 2.0**15, DType.INT16: 2.0**8}
MOST_VALUE_FACTORS = {DType.INT8: 2.0**22, DType.INT16: 2.0**16}
"""With them products, at most 255 * 255 or 2^15 * 255, and values, at most 255 or 2^15, stay in
int32."""


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct."""

    first_multiplier: Multiplier
    product_multiplier: Multiplier
    first_shift: ValueShift
    product_shift: ProductShift
    first_zero_point: Int8
    second_zero_point: Int8
    output_zero_point: Int8


def check(view: NodeView) -> Iterator[str]:
    """int32 has room for the rescaled values, and the shapes agree."""
    source, alpha, result = view["input"], view["alpha"], view.output
    most, most_of_products = MOST_VALUE_FACTORS[source.dtype], MOST_PRODUCT_FACTORS[source.dtype]
    wrong = list(constraints.rescaling(source, result, most=most))
    yield from wrong or constraints.rescaling(source, result, weights=alpha, most=most_of_products)
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
    factor = quotient(view, slope_scale, result.scale)
    products = requantized(result, centred * slopes, factor)
    return np.where(centred >= 0, moved(view, values[source.index], source), products)


def real(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output of float32."""

    def function(first: Array, second: Array) -> Array:
        return np.where(np.greater_equal(first, 0), first, np.multiply(first, second))

    return evaluated(function, view, values)


_CONTRACTS = {
    DType.INT8: Contract(),
    DType.INT16: Contract(
        requires=("first_zero_point == 0 && first_shift <= 15 && product_shift <= 8",)
    ),
}
OP = Op(
    name="prelu",
    builtin_code=54,
    inputs=("input", "alpha"),
    summary="int8, int16 with alpha of int8, float32; alpha broadcasts to the input, constant or "
    "computed",
    is_map=has_single_constants,
    meanings=(
        *(
            quantized_meaning(
                "prelu",
                dtype,
                "prelu/kernels/value.c.j2",
                oracle,
                runtime=("requantize",),
                second=DType.INT8,
                operands={"input": value_of(dtype), "alpha": int8(), "output": value_of(dtype)},
                check=check,
                params_of=params_of,
                constants=SECOND,
                contract=_CONTRACTS[dtype],
            )
            for dtype in QUANTIZED
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
