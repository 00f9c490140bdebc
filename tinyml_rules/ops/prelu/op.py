"""PRELU: what may be wrong with a node, and the constants of int8."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tinyml_rules.arithmetic.fixed_point import quantize_multiplier
from tinyml_rules.ir.c_struct import Int8, Int32
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.broadcast import check_broadcast
from tinyml_rules.ops._shared.scales import product, quotient

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
