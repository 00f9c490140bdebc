"""CONV_2D with weights outside flash: its constants as one record an output channel.

One kernel for every window: a 1x1 window, too, is walked a row at a time, so that a record is read
once for a row of pixels and not once for each.
"""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.ir.c_struct import Int, Int8, UInt32
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Work
from tinyml_rules.ir.sums import Sums
from tinyml_rules.ir.window import Window
from tinyml_rules.ops._shared.records import HEAD_BYTES, records


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


def pack(work: Work[Sums]) -> Packed:
    """The records of a prepared node, and the struct that describes them.

    Weights of four bits are bytes here: it is flash that they save."""
    sums, window = work.facts, work.window
    assert window is not None
    data = records(sums.bias, sums.multipliers, sums.shifts, sums.matrix)
    members = _members(sums, window, len(data) // sums.outputs - HEAD_BYTES)
    if sums.is_grouped:
        members = GroupPagedParams(
            **vars(members),
            group_channels=sums.group,
            group_outputs=sums.outputs * sums.group // sums.channels,
        )
    return Packed(members, data)


def _members(sums: Sums, window: Window, channel_bytes: int) -> PagedParams:
    found, across = sums.requantization, sums.across
    return PagedParams(
        weights=0,
        channel_bytes=channel_bytes,
        input_channels=sums.channels,
        output_channels=sums.outputs,
        output_zero_point=found.output_zero_point,
        clamp_min=found.clamp_min,
        clamp_max=found.clamp_max,
        input_width=across.inputs,
        output_width=across.outputs,
        window_width=across.size,
        stride=across.stride,
        dilation=across.dilation,
        pad_left=across.pad_before,
        input_zero_point=0 if sums.window is None else sums.input_zero_point,
        window=window,
    )
