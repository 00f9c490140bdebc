"""ADD: options, what may be wrong with a node, and its constants.

Both inputs are brought to a common scale, twice the larger one, 20 bits up; their sum is brought to
the output's scale.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tinyml_rules.arithmetic.fixed_point import Activation, clamp_range, quantize_multiplier
from tinyml_rules.ir.c_struct import Int8, Int32
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.broadcast import check_broadcast, operands

LEFT_SHIFT = 20


@dataclass(frozen=True)
class Attrs:
    activation: int = option(0, "int8")


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
    clamp_min: Int8
    clamp_max: Int8


def check(view: NodeView) -> Iterator[str]:
    """int8; shapes that broadcast to the output's; one input at least is computed."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    first, second, result = view.input(0), view.input(1), view.output
    problems = [
        *constraints.quantized(first, "first input"),
        *constraints.quantized(second, "second input"),
        *constraints.quantized(result, "output"),
    ]
    yield from problems
    yield from constraints.fused_activation(attrs.activation, result)
    yield from check_broadcast(view)
    if not problems and not _scales_are_sane(view):
        yield f"output tensor {result} has a scale too small for the sum of its inputs"


def _scales_are_sane(view: NodeView) -> bool:
    """TFLM needs the sum's multiplier below 1."""
    return 2 * max(view.input(0).scale, view.input(1).scale) < 2.0**LEFT_SHIFT * view.output.scale


def params_of(view: NodeView) -> Params:
    """Everything that does not depend on the input's values; `AddPrepare` of TFLM."""
    attrs, result = view.node.attrs, view.output
    assert isinstance(attrs, Attrs)
    first, second = operands(view)
    common = 2 * max(first.scale, second.scale)
    first_multiplier, first_shift = quantize_multiplier(first.scale / common)
    second_multiplier, second_shift = quantize_multiplier(second.scale / common)
    output_multiplier, output_shift = quantize_multiplier(common / (2**LEFT_SHIFT * result.scale))
    clamp_min, clamp_max = clamp_range(
        Activation(attrs.activation), scale=result.scale, zero_point=result.zero_point
    )
    return Params(
        first_multiplier=first_multiplier,
        second_multiplier=second_multiplier,
        output_multiplier=output_multiplier,
        first_shift=first_shift,
        second_shift=second_shift,
        output_shift=output_shift,
        first_zero_point=first.zero_point,
        second_zero_point=second.zero_point,
        output_zero_point=result.zero_point,
        clamp_min=clamp_min,
        clamp_max=clamp_max,
    )
