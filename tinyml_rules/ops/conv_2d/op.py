"""CONV_2D: options, what may be wrong with a node, and its constants.

acc[o] = bias[o] + sum over the window and channels of weights[o][y][x][c] * (input - zero_point).
The zero-point term is folded into the bias as if the whole window lay inside the image; where it
does not, the kernel takes a cell outside to hold the zero point, which gives the same sum.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from tinyml_rules.arithmetic.fixed_point import Activation, clamp_range
from tinyml_rules.arithmetic.nibbles import in_nibbles
from tinyml_rules.ir.c_struct import Int, Int8
from tinyml_rules.ir.dtype import DType, file_bytes
from tinyml_rules.ir.graph import Array, NodeView, Tensor
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
from tinyml_rules.ops._shared.channels import Channels, weighted_channels
from tinyml_rules.ops._shared.convolution import (
    ConvolutionAttrs,
    check_geometry,
    check_weights,
    operands_of,
    real_operands_of,
    slidings,
)
from tinyml_rules.ops._shared.spatial import column_reach, row_window, walks

CHANNEL_AXIS = 0
"""Of the weights."""
OPERANDS = operands_of(axis=CHANNEL_AXIS, may_be_computed=True)
REAL_OPERANDS = real_operands_of(axis=CHANNEL_AXIS)


@dataclass(frozen=True, eq=False)
class PointwiseParams:
    """Members of the C struct for a 1x1 window that meets every pixel once.  The window is without
    the taps that never lie in the image.

    weights is [output channels][window height][window width][input channels]; bias, multiplier
    and shift have an entry for every output channel.
    """

    weights: Array
    bias: Array
    multiplier: Array
    shift: Array
    input_channels: Int
    output_channels: Int
    output_zero_point: Int8
    clamp_min: Int8
    clamp_max: Int8

    @property
    def values(self) -> int:
        """How many an output sees."""
        return int(self.weights.size // self.output_channels)

    @property
    def matrix(self) -> Array:
        """The weights of an output a row."""
        return self.weights.reshape(self.output_channels, -1)


@dataclass(frozen=True, eq=False)
class ColumnParams(PointwiseParams):
    """The same of an image one pixel wide, which a kernel may be given pixel by pixel."""


@dataclass(frozen=True, eq=False)
class WindowParams(PointwiseParams):
    """The same for any window; widths, stride, dilation and padding are horizontal, in pixels."""

    input_width: Int
    output_width: Int
    window_width: Int
    stride: Int
    dilation: Int
    pad_left: Int
    input_zero_point: Int8
    window: Window


@dataclass(frozen=True, eq=False)
class GroupParams(WindowParams):
    """The same with output channels that each see a group of the input channels, or with weights of
    four bits: two a byte, those of an output channel from a byte on, of which it has
    `channel_bytes`."""

    group_channels: Int
    group_outputs: Int
    channel_bytes: Int

    @property
    def is_grouped(self) -> bool:
        """Some output channels see other input channels than others."""
        return self.group_channels != self.input_channels


def check(view: NodeView) -> Iterator[str]:
    """Weights [outputs][height][width][channels of a group], and shapes that agree."""
    yield from check_weights(view)
    yield from _check_groups(view["input"], view["weights"])
    yield from check_geometry(view, axis=CHANNEL_AXIS)


def _check_groups(source: Tensor, weights: Tensor) -> Iterator[str]:
    """Input channels and output channels divide into as many groups."""
    inputs, outputs, group = source.shape[3], weights.shape[0], weights.shape[3]
    if inputs % group:
        yield (
            f"weights tensor {weights} takes {group} channels, expected a divisor of the {inputs} "
            f"of input tensor {source}"
        )
    elif outputs % (inputs // group):
        yield (
            f"weights tensor {weights} has {outputs} outputs, expected a multiple of "
            f"{inputs // group}: it takes {group} of {inputs} channels, which makes so many groups"
        )


def channels(view: NodeView) -> Channels | None:
    """Each output channel sees all of the input, unless there are groups."""
    source, weights = view["input"], view["weights"]
    if has_computed_constants(view) or weights.shape[-1] != source.shape[-1]:
        return None
    sizes = zip(slidings(view), source.shape[1:3], view.output.shape[1:3], strict=True)
    sees_outside = any(sliding.sees_outside(*each) for sliding, *each in sizes)
    return weighted_channels(view, sees_outside=sees_outside)


def prepare(view: NodeView) -> Work:
    """A row at a time, or with a 1x1 window a pixel at a time."""
    params = params_of(view)
    sums = sums_of(view, params, axis=CHANNEL_AXIS)
    source, result = view["input"], view.output
    vertical, horizontal = walks(view, *slidings(view))
    pixels = result.count // params.output_channels
    return Work(
        params=_stored(params, view["weights"].dtype),
        inputs=(source.index,),
        outputs=(result.index,),
        units=pixels,
        chunk=result.shape[2],
        window=row_window(source, result, vertical),
        columns=column_reach(source, result, horizontal),
        patch=params.values,
        macs=weighted_macs(view),
        kind=WorkKind.of_sums(pixels),
        overflow=sums.overflow,
        most_sum=sums.most,
    )


def _stored(params: PointwiseParams, dtype: DType) -> PointwiseParams:
    """The params with weights as they lie in flash."""
    if dtype is not DType.INT4:
        return params
    return replace(params, weights=in_nibbles(params.weights.reshape(params.output_channels, -1)))


def params_of(view: NodeView) -> PointwiseParams | WindowParams:
    """Everything that does not depend on the input's values; weights as int8."""
    source, weights, result = view["input"], view["weights"], view.output
    vertical, horizontal = walks(view, *slidings(view))
    channel_part = _channel_params(view)
    is_by_groups = weights.dtype is DType.INT4 or weights.shape[3] != source.shape[3]
    if vertical.is_identity and horizontal.is_identity and not is_by_groups:
        return ColumnParams(**vars(channel_part)) if result.shape[2] == 1 else channel_part
    window_part = WindowParams(
        **vars(channel_part),
        input_width=source.shape[2],
        output_width=result.shape[2],
        window_width=horizontal.size,
        stride=horizontal.stride,
        dilation=horizontal.dilation,
        pad_left=horizontal.pad_before,
        input_zero_point=source.zero_point,
        window=row_window(source, result, vertical),
    )
    if not is_by_groups:
        return window_part
    taps = channel_part.weights.size // result.shape[3]
    return GroupParams(
        **vars(window_part),
        group_channels=weights.shape[3],
        group_outputs=result.shape[3] * weights.shape[3] // source.shape[3],
        channel_bytes=file_bytes(weights.dtype, taps),
    )


def _channel_params(view: NodeView) -> PointwiseParams:
    attrs = view.node.attrs
    assert isinstance(attrs, ConvolutionAttrs)
    source, weights, result = view["input"], view["weights"], view.output
    assert weights.data is not None
    vertical, horizontal = walks(view, *slidings(view))
    seen = np.ascontiguousarray(weights.data[:, vertical.taps, horizontal.taps])
    multiplier, shift = multipliers(source, weights, result, channels=weights.shape[0])
    clamp_min, clamp_max = clamp_range(
        Activation(attrs.activation), scale=result.scale, zero_point=result.zero_point
    )
    return PointwiseParams(
        weights=seen,
        bias=fold_bias(
            view.optional("bias"),
            weight_sums=seen.astype(np.int64).sum(axis=(1, 2, 3)),
            input_zero_point=source.zero_point,
        ),
        multiplier=multiplier,
        shift=shift,
        input_channels=source.shape[3],
        output_channels=result.shape[3],
        output_zero_point=result.zero_point,
        clamp_min=clamp_min,
        clamp_max=clamp_max,
    )
