"""CONV_2D: options, what may be wrong with a node, and its constants.

acc[o] = bias[o] + sum over the window and channels of weights[o][y][x][c] * (input - zero_point).
The zero-point term is folded into the bias as if the whole window lay inside the image; where it
does not, the kernel takes a cell outside to hold the zero point, which gives the same sum.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated

from tinyml_rules.arithmetic.nibbles import in_nibbles
from tinyml_rules.ir.c_struct import Int, Int8, Result
from tinyml_rules.ir.contract import (
    CLAMPED,
    CLAMPS,
    HAS_COLUMNS,
    PRODUCTS_MOST,
    Biases,
    Contract,
    Elements,
    Extent,
    Multipliers,
    Padding,
    Pointer,
    Shifts,
    each_pixel,
)
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ir.program import Work
from tinyml_rules.ir.sums import Element, Sums
from tinyml_rules.ir.window import Window
from tinyml_rules.ir.work_kind import WorkKind
from tinyml_rules.ops._shared.accumulate import has_computed_constants, weighted_macs
from tinyml_rules.ops._shared.channels import Channels, weighted_channels
from tinyml_rules.ops._shared.convolution import (
    check_geometry,
    check_weights,
    operands_of,
    real_operands_of,
    slidings,
)
from tinyml_rules.ops._shared.spatial import column_reach, row_window, walks
from tinyml_rules.ops._weighted.convolution import sums_of

CHANNEL_AXIS = 0
"""Of the weights."""
OPERANDS = operands_of(axis=CHANNEL_AXIS, may_be_computed=True)
REAL_OPERANDS = real_operands_of(axis=CHANNEL_AXIS)
WINDOW_VALUES = "window.height * (window_width * input_channels)"
CONTRACT = replace(
    each_pixel(
        "input_channels",
        "output_channels",
        in_values=True,
        requires=(*HAS_COLUMNS, f"{WINDOW_VALUES} <= {PRODUCTS_MOST}"),
    ),
    products=WINDOW_VALUES,
)
"""Of windows without dilation."""
PIXEL_CONTRACT = Contract(
    reads=(Pointer("input", "input_channels"),),
    writes=Pointer("output", "output_channels"),
    requires=(CLAMPS, f"input_channels <= {PRODUCTS_MOST}"),
    result=CLAMPED,
    products="input_channels",
)
"""Of windows of one cell, pixel by pixel."""


@dataclass(frozen=True, eq=False)
class PointwiseParams:
    """Members of the C struct for a 1x1 window that meets every pixel once.  The window is without
    the taps that never lie in the image.

    weights is [output channels][window height][window width][input channels]; bias, multiplier
    and shift have an entry for every output channel.
    """

    weights: Annotated[Array, Elements("output_channels * input_channels")]
    bias: Annotated[Array, Elements("output_channels"), Biases]
    multiplier: Annotated[Array, Elements("output_channels"), Multipliers]
    shift: Annotated[Array, Elements("output_channels"), Shifts]
    input_channels: Annotated[Int, Extent]
    output_channels: Annotated[Int, Extent]
    output_zero_point: Int8
    clamp_min: Result
    clamp_max: Result


@dataclass(frozen=True, eq=False)
class ColumnParams(PointwiseParams):
    """The same of an image one pixel wide, which a kernel may be given pixel by pixel."""


@dataclass(frozen=True, eq=False)
class WindowParams(PointwiseParams):
    """The same for any window; widths, stride, dilation and padding are horizontal, in pixels."""

    weights: Annotated[Array, Elements(f"output_channels * ({WINDOW_VALUES})")]
    input_width: Annotated[Int, Extent]
    output_width: Annotated[Int, Extent]
    window_width: Annotated[Int, Extent]
    stride: Annotated[Int, Extent]
    dilation: Annotated[Int, Extent]
    pad_left: Annotated[Int, Padding]
    input_zero_point: Int8
    window: Window


@dataclass(frozen=True, eq=False)
class GroupParams(WindowParams):
    """The same with output channels that each see a group of the input channels, or with weights of
    four bits: two a byte, those of an output channel from a byte on, of which it has
    `channel_bytes`."""

    weights: Array
    group_channels: Int
    group_outputs: Int
    channel_bytes: Int


@dataclass(frozen=True, eq=False)
class OffsetParams(GroupParams):
    """The same of weights with a zero point."""

    weights_zero_point: Int8


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


def prepare(view: NodeView) -> Work[Sums]:
    """A row at a time, or with a 1x1 window a pixel at a time."""
    sums = weighted_sums(view)
    source, result = view["input"], view.output
    vertical, horizontal = walks(view, *slidings(view))
    pixels = result.count // sums.outputs
    return Work(
        params=struct_of(sums),
        facts=sums,
        inputs=(source.index,),
        outputs=(result.index,),
        units=pixels,
        chunk=result.shape[2],
        window=row_window(source, result, vertical),
        columns=column_reach(source, result, horizontal),
        patch=sums.values,
        macs=weighted_macs(view),
        kind=WorkKind.of_sums(pixels),
        overflow=sums.overflow,
        requantization=sums.requantization,
    )


def weighted_sums(view: NodeView) -> Sums:
    """Those of a checked node; pixel by pixel where each output pixel sees its own input alone."""
    sums = sums_of(view, axis=CHANNEL_AXIS)
    is_identity = all(walk.is_identity for walk in walks(view, *slidings(view)))
    is_plain = sums.element is not Element.OFFSET and not sums.is_grouped
    return replace(sums, window=None) if is_identity and is_plain else sums


def struct_of(sums: Sums) -> PointwiseParams:
    """What the plain kernels read."""
    if sums.window is None:
        is_column = sums.across.outputs == 1
        return ColumnParams(**vars(pixel_struct(sums))) if is_column else pixel_struct(sums)
    if sums.element is Element.INT8 and not sums.is_grouped:
        return window_struct(sums)
    params = GroupParams(
        **vars(window_struct(sums)),
        group_channels=sums.group,
        group_outputs=sums.outputs * sums.group // sums.channels,
        channel_bytes=_weights(sums).nbytes // sums.outputs,
    )
    if sums.element is Element.OFFSET:
        return OffsetParams(**vars(params), weights_zero_point=sums.weights_zero_point)
    return params


def pixel_struct(sums: Sums) -> PointwiseParams:
    """That for a 1x1 window."""
    return PointwiseParams(
        weights=_weights(sums),
        bias=sums.bias,
        multiplier=sums.multipliers,
        shift=sums.shifts,
        input_channels=sums.channels,
        output_channels=sums.outputs,
        output_zero_point=sums.requantization.output_zero_point,
        clamp_min=sums.requantization.clamp_min,
        clamp_max=sums.requantization.clamp_max,
    )


def window_struct(sums: Sums) -> WindowParams:
    """That for any window."""
    across = sums.across
    return WindowParams(
        **vars(pixel_struct(sums)),
        input_width=across.inputs,
        output_width=across.outputs,
        window_width=across.size,
        stride=across.stride,
        dilation=across.dilation,
        pad_left=across.pad_before,
        input_zero_point=sums.input_zero_point,
        window=sums.down,
    )


def _weights(sums: Sums) -> Array:
    """As they lie in flash."""
    if sums.element is Element.INT4:
        return in_nibbles(sums.matrix)
    return sums.stored.reshape(sums.outputs, -1, sums.across.size, sums.group)
