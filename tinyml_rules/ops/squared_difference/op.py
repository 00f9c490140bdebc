"""SQUARED_DIFFERENCE of int8: what may be wrong with a node, and its constants.

Both inputs are brought to a common scale, twice the larger one, 7 bits up; the square of their
difference is brought to the output's scale.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tinyml_rules.arithmetic.fixed_point import quantize_multiplier
from tinyml_rules.ir.c_struct import Int8, Int32
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.broadcast import check_broadcast, constant_last

LEFT_SHIFT = 7
MOST_FACTOR = 2.0
"""Every square, at most 32640 * 32640, stays in int32."""


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct."""

    first_multiplier: Int32
    second_multiplier: Int32
    output_multiplier: Int32
    first_shift: Int8
    second_shift: Int8
    output_shift: Int8
    first_zero_point: Int8
    second_zero_point: Int8
    output_zero_point: Int8


def check(view: NodeView) -> Iterator[str]:
    """int8; shapes that broadcast to the output's."""
    problems = [
        *constraints.quantized(view.input(0), "first input"),
        *constraints.quantized(view.input(1), "second input"),
        *constraints.quantized(view.output, "output"),
    ]
    yield from problems
    yield from check_broadcast(view)
    if not problems and _factor(view) >= MOST_FACTOR:
        yield (
            f"output tensor {view.output} has scale {view.output.scale:g}, too small for the "
            "square of its inputs' difference"
        )


def _factor(view: NodeView) -> float:
    """From the scale of the squares to the output's."""
    common = 2 * max(view.input(0).scale, view.input(1).scale)
    return common * common / (2.0 ** (2 * LEFT_SHIFT) * view.output.scale)


def params_of(view: NodeView) -> Params:
    """Everything that does not depend on the input's values; `PrepareQuantized` of TFLM."""
    first, second = constant_last(view)
    common = 2 * max(first.scale, second.scale)
    first_multiplier, first_shift = quantize_multiplier(first.scale / common)
    second_multiplier, second_shift = quantize_multiplier(second.scale / common)
    output_multiplier, output_shift = quantize_multiplier(_factor(view))
    return Params(
        first_multiplier=first_multiplier,
        second_multiplier=second_multiplier,
        output_multiplier=output_multiplier,
        first_shift=first_shift,
        second_shift=second_shift,
        output_shift=output_shift,
        first_zero_point=first.zero_point,
        second_zero_point=second.zero_point,
        output_zero_point=view.output.zero_point,
    )
