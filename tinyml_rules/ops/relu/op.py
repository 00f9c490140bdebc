"""RELU: its constants and its meaning."""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.arithmetic.fixed_point import (
    Activation,
    clamp_range,
    quantize_multiplier,
)
from tinyml_rules.ir.c_struct import Int8, Int32
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ops._shared.scales import quotient


@dataclass(frozen=True)
class Params:
    """Members of the C struct."""

    multiplier: Int32
    shift: Int8
    input_zero_point: Int8
    output_zero_point: Int8
    clamp_min: Int8
    clamp_max: Int8


def params_of(view: NodeView) -> Params:
    """`CalculateReluOpData` of TFLM: the quotient of the scales in double.

    Its sources before autumn 2026 round the quotient to float32 first; its package does not."""
    source, result = view["input"], view.output
    multiplier, shift = quantize_multiplier(quotient(view, source.scale, result.scale))
    clamp_min, clamp_max = clamp_range(
        Activation.RELU, scale=result.scale, zero_point=result.zero_point
    )
    return Params(
        multiplier=multiplier,
        shift=shift,
        input_zero_point=source.zero_point,
        output_zero_point=result.zero_point,
        clamp_min=clamp_min,
        clamp_max=clamp_max,
    )
