"""DEPTHWISE_CONV_2D with weights outside flash: its constants as one record an output channel."""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.ir.c_struct import Int, Int8, UInt32
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Work
from tinyml_rules.ir.sums import Sums
from tinyml_rules.ir.window import Window
from tinyml_rules.ops._shared.records import HEAD_BYTES, records
from tinyml_rules.ops.depthwise_conv_2d.op import struct_of


@dataclass(frozen=True)
class PagedParams:
    """Members of the C struct; widths in pixels.  A record is a head of 9 bytes and
    `channel_bytes` of weights."""

    weights: UInt32
    channel_bytes: UInt32
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


def pack(work: Work[Sums]) -> Packed:
    """The records of a prepared node, and the struct that describes them.

    Weights of four bits are bytes here: it is flash that they save."""
    sums, members = work.facts, vars(struct_of(work.facts))
    data = records(sums.bias, sums.multipliers, sums.shifts, sums.matrix)
    tables = ("weights", "bias", "multiplier", "shift")
    kept = {name: value for name, value in members.items() if name not in tables}
    channel_bytes = len(data) // sums.outputs - HEAD_BYTES
    return Packed(PagedParams(weights=0, channel_bytes=channel_bytes, **kept), data)
