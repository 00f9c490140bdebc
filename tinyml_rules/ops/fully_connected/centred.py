"""FULLY_CONNECTED whose zero points are taken off value by value: of weights or a bias that are
computed, so that nothing can be folded, and of weights that are no int8 without their zero point.

acc[o] = bias[o] + sum over i of (weights[o][i] - weights_zero_point) * (input[i] - zero_point).
"""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.arithmetic.fixed_point import (
    INT8_MAX,
    INT8_MIN,
    Activation,
    clamp_range,
)
from tinyml_rules.ir.c_struct import Int, Int8
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared.accumulate import (
    has_computed_constants,
    multipliers,
    unfolded_bias,
    work_of_operands,
)
from tinyml_rules.ops._shared.computed_operands import ComputedNames
from tinyml_rules.ops.fully_connected.op import WEIGHTS, Attrs, without_zero_point


@dataclass(frozen=True, eq=False)
class CentredParams:
    """Members of the C struct; weights and bias are None where they are operands."""

    weights: Array | None
    bias: Array | None
    multiplier: Array
    shift: Array
    vectors: Int
    input_channels: Int
    output_channels: Int
    input_zero_point: Int8
    weights_zero_point: Int8
    output_zero_point: Int8
    clamp_min: Int8
    clamp_max: Int8


def takes(view: NodeView) -> bool:
    """Whether the plain kernels cannot do it."""
    if has_computed_constants(view):
        return True
    weights = view["weights"]
    quantization = weights.quantization
    if weights.dtype not in WEIGHTS or quantization is None or quantization.is_per_axis:
        return False
    found = without_zero_point(weights)
    return bool(found.min() < INT8_MIN or found.max() > INT8_MAX)


def prepare(view: NodeView) -> Work[ComputedNames]:
    """All vectors at once, because weights and bias are the same for each."""
    return work_of_operands(view, params_of(view), axis=0)


def params_of(view: NodeView) -> CentredParams:
    """Everything that does not depend on the operands' values."""
    attrs, source, weights, result = view.node.attrs, view["input"], view["weights"], view.output
    assert isinstance(attrs, Attrs) and weights.quantization is not None
    output_count, input_count = weights.shape
    multiplier, shift = multipliers(view, channels=output_count)
    clamp_min, clamp_max = clamp_range(
        Activation(attrs.activation), scale=result.scale, zero_point=result.zero_point
    )
    return CentredParams(
        weights=weights.data,
        bias=unfolded_bias(view.optional("bias"), count=output_count),
        multiplier=multiplier,
        shift=shift,
        vectors=source.count // input_count,
        input_channels=input_count,
        output_channels=output_count,
        input_zero_point=source.zero_point,
        weights_zero_point=weights.quantization.zero_points[0],
        output_zero_point=result.zero_point,
        clamp_min=clamp_min,
        clamp_max=clamp_max,
    )
