"""DEPTHWISE_CONV_2D: options, what may be wrong with a node, and its constants.

Output channel c * depth_multiplier + m sees input channel c alone.  As in CONV_2D, the zero-point
term of the whole window is folded into the bias.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from tinyml_rules.arithmetic.fixed_point import Activation, clamp_range
from tinyml_rules.arithmetic.nibbles import in_nibbles
from tinyml_rules.ir.c_struct import Int, Int8
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ir.program import Work
from tinyml_rules.ir.window import Window
from tinyml_rules.ir.work_kind import WorkKind
from tinyml_rules.ops._shared.accumulate import (
    fold_bias,
    has_computed_constants,
    multipliers,
    sums_of,
    weighted_macs,
)
from tinyml_rules.ops._shared.channels import Channels, repeated_channels
from tinyml_rules.ops._shared.convolution import (
    ConvolutionAttrs,
    check_geometry,
    check_weights,
    operands_of,
    real_operands_of,
    slidings,
)
from tinyml_rules.ops._shared.spatial import column_reach, row_window, walks

CHANNEL_AXIS = 3
"""Of the weights."""
OPERANDS = operands_of(axis=CHANNEL_AXIS, may_be_computed=True)
REAL_OPERANDS = real_operands_of(axis=CHANNEL_AXIS)


@dataclass(frozen=True)
class Attrs(ConvolutionAttrs):
    depth_multiplier: int = option(3, "int32")
    activation: int = option(4, "int8")
    dilation_width: int = option(5, "int32", default=1)
    dilation_height: int = option(6, "int32", default=1)


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct; weights is [window height][window width][output channels], the
    other arrays have an entry for every output channel; widths in pixels.  The window is without
    the taps that never lie in the image.  Weights of four bits are two a byte, those of a tap from
    a byte on."""

    weights: Array
    bias: Array
    multiplier: Array
    shift: Array
    input_width: Int
    input_channels: Int
    output_width: Int
    output_channels: Int
    depth_multiplier: Int
    window_width: Int
    stride: Int
    dilation: Int
    pad_left: Int
    input_zero_point: Int8
    output_zero_point: Int8
    clamp_min: Int8
    clamp_max: Int8
    window: Window

    @property
    def taps(self) -> int:
        """Of the window, for each output value."""
        return self.window.height * self.window_width


def check(view: NodeView) -> Iterator[str]:
    """Weights [1][height][width][outputs]; outputs a multiple of inputs."""
    attrs, source, weights = view.node.attrs, view["input"], view["weights"]
    assert isinstance(attrs, Attrs)
    yield from check_weights(view)
    channels = weights.shape[CHANNEL_AXIS]
    if weights.shape[0] != 1:
        yield f"weights tensor {weights} has shape {list(weights.shape)}, expected 1 as the first"
    expected = source.shape[3] * attrs.depth_multiplier
    if expected != channels:
        yield (
            f"weights tensor {weights} has {channels} channels, expected {expected}: "
            f"{source.shape[3]} of the input times a depth multiplier of "
            f"{attrs.depth_multiplier}"
        )
    yield from check_geometry(view, axis=CHANNEL_AXIS)


def channels(view: NodeView) -> Channels | None:
    """Each output channel sees one of the input."""
    if has_computed_constants(view):
        return None
    times = view.output.shape[3] // view["input"].shape[3]
    return repeated_channels(view, times, operands=((1, CHANNEL_AXIS), (2, 0)))


def prepare(view: NodeView) -> Work:
    """A row at a time."""
    params = params_of(view)
    sums = sums_of(view, params, axis=CHANNEL_AXIS)
    _, horizontal = walks(view, *slidings(view))
    return Work(
        params=_stored(params, view["weights"].dtype),
        inputs=(view["input"].index,),
        outputs=(view.output.index,),
        window=params.window,
        columns=column_reach(view["input"], view.output, horizontal),
        patch=params.taps,
        macs=weighted_macs(view),
        kind=WorkKind.DEPTHWISE,
        overflow=sums.overflow,
        most_sum=sums.most,
    )


def _stored(params: Params, dtype: DType) -> Params:
    """The params with weights as they lie in flash."""
    if dtype is not DType.INT4:
        return params
    return replace(params, weights=in_nibbles(params.weights))


def params_of(view: NodeView) -> Params:
    """Everything that does not depend on the input's values; weights as int8."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    source, weights, result = view["input"], view["weights"], view.output
    assert weights.data is not None
    vertical, horizontal = walks(view, *slidings(view))
    seen = np.ascontiguousarray(weights.data[:, vertical.taps, horizontal.taps])
    multiplier, shift = multipliers(source, weights, result, channels=result.shape[3])
    clamp_min, clamp_max = clamp_range(
        Activation(attrs.activation), scale=result.scale, zero_point=result.zero_point
    )
    return Params(
        weights=seen,
        bias=fold_bias(
            view.optional("bias"),
            weight_sums=seen.astype(np.int64).sum(axis=(0, 1, 2)),
            input_zero_point=source.zero_point,
        ),
        multiplier=multiplier,
        shift=shift,
        input_width=source.shape[2],
        input_channels=source.shape[3],
        output_width=result.shape[2],
        output_channels=result.shape[3],
        depth_multiplier=attrs.depth_multiplier,
        window_width=horizontal.size,
        stride=horizontal.stride,
        dilation=horizontal.dilation,
        pad_left=horizontal.pad_before,
        input_zero_point=source.zero_point,
        output_zero_point=result.zero_point,
        clamp_min=clamp_min,
        clamp_max=clamp_max,
        window=row_window(source, result, vertical),
    )
