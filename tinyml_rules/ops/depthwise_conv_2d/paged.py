"""DEPTHWISE_CONV_2D with weights outside flash: its constants as one record an output channel."""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.ir.program import Packed, Window, Work
from tinyml_rules.ops._shared.records import HEAD_BYTES, records
from tinyml_rules.ops.depthwise_conv_2d.op import Params


@dataclass(frozen=True)
class PagedParams:
    """Members of the C struct; widths in pixels.  A record is a head of 9 bytes and
    `channel_bytes` of weights."""

    weights: int
    channel_bytes: int
    input_width: int
    input_channels: int
    output_width: int
    output_channels: int
    depth_multiplier: int
    window_width: int
    stride: int
    dilation: int
    pad_left: int
    input_zero_point: int
    output_zero_point: int
    clamp_min: int
    clamp_max: int
    window: Window


def pack(work: Work) -> Packed:
    """The records of a prepared node, and the struct that describes them."""
    params = work.params
    assert isinstance(params, Params)
    channels_first = params.weights.reshape(-1, params.output_channels).T
    data = records(params.bias, params.multiplier, params.shift, channels_first)
    tables = ("weights", "bias", "multiplier", "shift")
    members = {name: value for name, value in vars(params).items() if name not in tables}
    channel_bytes = len(data) // params.output_channels - HEAD_BYTES
    return Packed(PagedParams(weights=0, channel_bytes=channel_bytes, **members), data)
