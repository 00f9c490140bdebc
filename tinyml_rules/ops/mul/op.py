"""MUL of int8: what may be wrong with a node, and its constants."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tinyml_rules.arithmetic.fixed_point import (
    Activation,
    clamp_range,
    quantize_multiplier,
)
from tinyml_rules.ir.c_struct import Int8, Int32
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.activated import activation_of
from tinyml_rules.ops._shared.broadcast import check_broadcast, constant_last
from tinyml_rules.ops._shared.scales import product, quotient

MOST_FACTOR = 2.0**15
"""Every product, at most 255 * 255, stays in int32."""


@dataclass(frozen=True)
class Params:
    """Members of the C struct."""

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
    yield from constraints.rescaling(first, result, weights=second, most=MOST_FACTOR)
    yield from check_broadcast(view)


def params_of(view: NodeView) -> Params:
    """Everything that does not depend on the input's values."""
    result = view.output
    first, second = constant_last(view)
    multiplier, shift = quantize_multiplier(
        quotient(view, product(view, first.scale, second.scale), result.scale)
    )
    clamp_min, clamp_max = clamp_range(
        Activation(activation_of(view)), scale=result.scale, zero_point=result.zero_point
    )
    return Params(
        multiplier=multiplier,
        shift=shift,
        first_zero_point=first.zero_point,
        second_zero_point=second.zero_point,
        output_zero_point=result.zero_point,
        clamp_min=clamp_min,
        clamp_max=clamp_max,
    )
