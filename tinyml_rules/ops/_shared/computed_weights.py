"""Convolutions whose weights or bias are computed: nothing is folded into the bias, and the weights
are read in the model's order. One kernel serves CONV_2D, grouped ones included, and
DEPTHWISE_CONV_2D, which has one channel per group.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from tinyml_rules.arithmetic.fixed_point import Activation, clamp_range
from tinyml_rules.ir.c_struct import Int, Int8
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.accumulate import (
    has_computed_constants,
    multipliers,
    unfolded_bias,
    work_of_operands,
)
from tinyml_rules.ops._shared.computed_operands import ComputedNames, of_computed
from tinyml_rules.ops._shared.convolution import ConvolutionAttrs, slidings
from tinyml_rules.ops._shared.operands import Operands
from tinyml_rules.ops._shared.operator import Check, Meaning, Oracle
from tinyml_rules.ops._shared.spatial import walks

_KINDS: Mapping[str, tuple[str, ...]] = {
    "computed_weights": ("weights",),
    "computed_bias": ("bias",),
    "computed": ("weights", "bias"),
}


@dataclass(frozen=True, eq=False)
class OperandParams:
    """Members of the C struct; weights and bias are None where they are operands.

    `row_step`, `tap_step` and `output_step` are the distances of weights from one row, column and
    output of the window to the next; the channels of a group are adjacent. The window is without
    the taps that are never in the image, so that it begins at `first_weight`.
    """

    weights: Array | None
    bias: Array | None
    multiplier: Array
    shift: Array
    batches: Int
    input_height: Int
    input_width: Int
    input_channels: Int
    output_height: Int
    output_width: Int
    output_channels: Int
    group_channels: Int
    group_outputs: Int
    window_height: Int
    window_width: Int
    stride_down: Int
    stride: Int
    dilation_down: Int
    dilation: Int
    pad_top: Int
    pad_left: Int
    first_weight: Int
    row_step: Int
    tap_step: Int
    output_step: Int
    input_zero_point: Int8
    output_zero_point: Int8
    clamp_min: Int8
    clamp_max: Int8


@dataclass(frozen=True, kw_only=True)
class Computed(Variant):
    """Words of the templates whose constants may be operands."""

    has_computed_weights: bool
    """Whether the weights are an operand rather than a member of the params."""
    has_computed_bias: bool
    """Whether the bias is."""

    @classmethod
    def of(cls, computed: Collection[str]) -> Computed:
        """From the names of the computed operands."""
        return cls(has_computed_weights="weights" in computed, has_computed_bias="bias" in computed)


def computed_meaning(
    name: str, operands: Operands, check: Check, oracle: Oracle, *, axis: int
) -> Meaning[ComputedNames]:
    """The meaning for computed operands; the weights have their outputs along `axis`, first or
    last."""
    return Meaning(
        takes=has_computed_constants,
        operands=operands,
        check=check,
        oracle=oracle,
        prepare=lambda view: work_of_operands(view, _params(view, axis), axis=axis),
        kernels=tuple(_kernel(f"{name}_{kind}", computed) for kind, computed in _KINDS.items()),
    )


def _kernel(name: str, computed: tuple[str, ...]) -> Kernel[ComputedNames]:
    """The kernel for exactly these `computed` operands."""
    return Kernel(
        name=name,
        template=Path(__file__).parent / "kernels" / "computed_weights.c.j2",
        form=Form.WHOLE,
        can=(of_computed(*computed),),
        runtime=("requantize",),
        has_far_form="weights" not in computed,
        variant=Computed.of(computed),
    )


def _params(view: NodeView, axis: int) -> OperandParams:
    attrs, source, weights, result = view.node.attrs, view["input"], view["weights"], view.output
    assert isinstance(attrs, ConvolutionAttrs)
    vertical, horizontal = walks(view, *slidings(view))
    outputs, (_, _, columns, last) = result.shape[3], weights.shape
    batches, height, width, channels = source.shape
    group = 1 if axis else last
    multiplier, shift = multipliers(source, weights, result, channels=outputs)
    low, high = clamp_range(
        Activation(attrs.activation), scale=result.scale, zero_point=result.zero_point
    )
    return OperandParams(
        **_steps(weights, axis),
        weights=weights.data,
        bias=unfolded_bias(view.optional("bias"), count=outputs),
        multiplier=multiplier,
        shift=shift,
        batches=batches,
        input_height=height,
        input_width=width,
        input_channels=channels,
        output_height=result.shape[1],
        output_width=result.shape[2],
        output_channels=outputs,
        group_channels=group,
        group_outputs=outputs * group // channels,
        window_height=vertical.size,
        window_width=horizontal.size,
        stride_down=vertical.stride,
        stride=horizontal.stride,
        dilation_down=vertical.dilation,
        dilation=horizontal.dilation,
        pad_top=vertical.pad_before,
        pad_left=horizontal.pad_before,
        first_weight=(vertical.first * columns + horizontal.first) * last,
        input_zero_point=source.zero_point,
        output_zero_point=result.zero_point,
        clamp_min=low,
        clamp_max=high,
    )


def _steps(weights: Tensor, axis: int) -> dict[str, int]:
    """The distances of weights: (row, tap, output)."""
    outputs, _, columns, last = weights.shape
    taps = weights.count // outputs
    return {
        "row_step": columns * last,
        "tap_step": last,
        "output_step": 1 if axis else taps,
    }
