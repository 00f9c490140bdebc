"""CONV_2D with weights outside flash: its constants as one record an output channel.

One kernel for every window: a 1x1 window, too, is walked a row at a time, so that a record is read
once for a row of pixels and not once for each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tinyml_rules.arithmetic.nibbles import from_nibbles
from tinyml_rules.ir.c_struct import Int, Int8, UInt32
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Work
from tinyml_rules.ir.window import Window
from tinyml_rules.ops._shared.records import HEAD_BYTES, records
from tinyml_rules.ops.conv_2d.op import GroupParams, PointwiseParams, WindowParams


@dataclass(frozen=True)
class PagedParams:
    """Members of the C struct; widths, stride, dilation and padding are horizontal, in pixels.
    A record is a head of 9 bytes and `channel_bytes` of weights."""

    weights: UInt32
    channel_bytes: UInt32
    input_channels: Int
    output_channels: Int
    output_zero_point: Int8
    clamp_min: Int8
    clamp_max: Int8
    input_width: Int
    output_width: Int
    window_width: Int
    stride: Int
    dilation: Int
    pad_left: Int
    input_zero_point: Int8
    window: Window


@dataclass(frozen=True)
class GroupPagedParams(PagedParams):
    """The same of a convolution by groups of channels."""

    group_channels: Int
    group_outputs: Int


def pack(work: Work) -> Packed:
    """The records of a prepared node, and the struct that describes them.

    Weights of four bits are bytes here: it is flash that they save."""
    params, window = work.params, work.window
    assert isinstance(params, PointwiseParams)
    assert window is not None
    weights = params.weights
    if weights.dtype == np.uint8:
        weights = from_nibbles(weights, work.patch)
    data = records(params.bias, params.multiplier, params.shift, weights)
    members = _members(params, window, len(data) // params.output_channels - HEAD_BYTES)
    if isinstance(params, GroupParams) and params.is_grouped:
        members = GroupPagedParams(
            **vars(members),
            group_channels=params.group_channels,
            group_outputs=params.group_outputs,
        )
    return Packed(members, data)


def _members(params: PointwiseParams, window: Window, channel_bytes: int) -> PagedParams:
    horizontal = params if isinstance(params, WindowParams) else None
    width = window.output_row_bytes // params.output_channels
    return PagedParams(
        weights=0,
        channel_bytes=channel_bytes,
        input_channels=params.input_channels,
        output_channels=params.output_channels,
        output_zero_point=params.output_zero_point,
        clamp_min=params.clamp_min,
        clamp_max=params.clamp_max,
        input_width=horizontal.input_width if horizontal else width,
        output_width=width,
        window_width=horizontal.window_width if horizontal else 1,
        stride=horizontal.stride if horizontal else 1,
        dilation=horizontal.dilation if horizontal else 1,
        pad_left=horizontal.pad_left if horizontal else 0,
        input_zero_point=horizontal.input_zero_point if horizontal else 0,
        window=window,
    )
