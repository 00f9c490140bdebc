"""Convolutions whose weights or bias are computed: nothing is folded into the bias, and the weights
are read in the model's order. One kernel serves CONV_2D, grouped ones included, and
DEPTHWISE_CONV_2D, which has one channel per group.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tinyml_rules.arithmetic.fixed_point import Activation, clamp_range
from tinyml_rules.ir.c_struct import Float32, Int, Int8
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.accumulate import (
    has_computed_constants,
    multipliers,
    unfolded_bias,
    weighted_macs,
    work_of_operands,
)
from tinyml_rules.ops._shared.activated import plain_bounds
from tinyml_rules.ops._shared.computed_operands import ComputedNames, computed, of_computed
from tinyml_rules.ops._shared.convolution import ConvolutionAttrs, slidings
from tinyml_rules.ops._shared.operands import Operands
from tinyml_rules.ops._shared.operator import Check, Meaning, Oracle
from tinyml_rules.ops._shared.real_weights import real_operands, takes_real_weights
from tinyml_rules.ops._shared.spatial import IMAGE, RANK, walks

_KINDS: Mapping[str, tuple[str, ...]] = {
    "computed_weights": ("weights",),
    "computed_bias": ("bias",),
    "computed": ("weights", "bias"),
}


@dataclass(frozen=True, eq=False)
class Tables:
    """Members of the C struct; weights and bias are None where they are operands."""

    weights: Array | None
    bias: Array | None


@dataclass(frozen=True, eq=False)
class Factors(Tables):
    """The same, and how sums are requantized."""

    multiplier: Array
    shift: Array


@dataclass(frozen=True, eq=False)
class Geometry:
    """Members of the C struct.

    `row_step`, `tap_step` and `output_step` are the distances of weights from one row, column and
    output of the window to the next; the channels of a group are adjacent. The window is without
    the taps that are never in the image, so that it begins at `first_weight`.
    """

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


@dataclass(frozen=True, eq=False)
class OperandParams(Geometry, Factors):
    """Members of the C struct, in the order of `Factors`, `Geometry` and these."""

    input_zero_point: Int8
    output_zero_point: Int8
    clamp_min: Int8
    clamp_max: Int8


@dataclass(frozen=True, eq=False)
class RealOperandParams(Geometry, Tables):
    """The same of real numbers."""

    clamp_min: Float32
    clamp_max: Float32


@dataclass(frozen=True, kw_only=True)
class Computed(Variant):
    """Words of the templates whose constants may be operands."""

    has_computed_weights: bool
    """Whether the weights are an operand rather than a member of the params."""
    has_computed_bias: bool
    """Whether the bias is."""
    is_real: bool = False
    """Whether all numbers are float32."""

    @classmethod
    def of(cls, computed: Collection[str], *, is_real: bool = False) -> Computed:
        """From the names of the computed operands."""
        return cls(
            has_computed_weights="weights" in computed,
            has_computed_bias="bias" in computed,
            is_real=is_real,
        )


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


def computed_real_meaning(
    name: str, check: Check, oracle: Oracle, *, axis: int
) -> Meaning[ComputedNames]:
    """The same for float32."""
    return Meaning(
        takes=lambda view: takes_real_weights(view) and has_computed_constants(view),
        operands=real_operands(axis=axis, ranks=IMAGE, rank=RANK, is_constant=False),
        check=check,
        oracle=oracle,
        prepare=lambda view: _real_work(view, axis),
        kernels=tuple(
            _kernel(f"{name}_real_{kind}", computed, is_real=True)
            for kind, computed in _KINDS.items()
        ),
    )


def _kernel(
    name: str, computed: tuple[str, ...], *, is_real: bool = False
) -> Kernel[ComputedNames]:
    """The kernel for exactly these `computed` operands."""
    return Kernel(
        name=name,
        template=Path(__file__).parent / "kernels" / "computed_weights.c.j2",
        form=Form.WHOLE,
        can=(of_computed(*computed),),
        runtime=() if is_real else ("requantize",),
        has_far_form="weights" not in computed and not is_real,
        variant=Computed.of(computed, is_real=is_real),
    )


def _params(view: NodeView, axis: int) -> OperandParams:
    attrs, source, weights, result = view.node.attrs, view["input"], view["weights"], view.output
    assert isinstance(attrs, ConvolutionAttrs)
    outputs = result.shape[3]
    multiplier, shift = multipliers(view, channels=outputs)
    low, high = clamp_range(
        Activation(attrs.activation), scale=result.scale, zero_point=result.zero_point
    )
    return OperandParams(
        **vars(_geometry(view, axis)),
        weights=weights.data,
        bias=unfolded_bias(view.optional("bias"), count=outputs),
        multiplier=multiplier,
        shift=shift,
        input_zero_point=source.zero_point,
        output_zero_point=result.zero_point,
        clamp_min=low,
        clamp_max=high,
    )


def _real_work(view: NodeView, axis: int) -> Work[ComputedNames]:
    """Work on the whole tensor at once, with computed weights and bias as operands."""
    attrs, source, weights = view.node.attrs, view["input"], view["weights"]
    assert isinstance(attrs, ConvolutionAttrs)
    bias = view.optional("bias")
    base = np.zeros(view.output.shape[3], np.float32) if bias is None else bias.data
    low, high = plain_bounds(attrs.activation, DType.FLOAT32)
    params = RealOperandParams(
        **vars(_geometry(view, axis)),
        weights=weights.data,
        bias=None if base is None else base.reshape(-1),
        clamp_min=low,
        clamp_max=high,
    )
    operands = (source, weights, bias)
    return Work(
        params=params,
        facts=computed(weights=params.weights, bias=params.bias),
        inputs=tuple(
            each.index
            for each in operands
            if each is not None and (each is source or not each.is_constant)
        ),
        outputs=(view.output.index,),
        macs=weighted_macs(view),
    )


def _geometry(view: NodeView, axis: int) -> Geometry:
    source, weights, result = view["input"], view["weights"], view.output
    vertical, horizontal = walks(view, *slidings(view))
    outputs, (_, _, columns, last) = result.shape[3], weights.shape
    batches, height, width, channels = source.shape
    group = 1 if axis else last
    return Geometry(
        **_steps(weights, axis),
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
