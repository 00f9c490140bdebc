"""DEPTHWISE_CONV_2D of a window of 3 x 3 along the row on 8-bit AVR: when, and how."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tinyml_rules.ir.c_struct import Int, Int8, UInt8
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.window import Window
from tinyml_rules.ops._shared.positive_records import (
    Bytes,
    are_positive,
    are_shifted,
    bias_bytes,
    rounding_bytes,
)
from tinyml_rules.ops.depthwise_conv_2d.along_row import has_columns_and_rows, is_three_by_three
from tinyml_rules.ops.depthwise_conv_2d.op import CHANNEL_AXIS, Params

_TEMPLATE = Path(__file__).parent / "kernels" / "along_row_of_bytes.c.j2"
_TAPS = 9
_MOST_CHANNELS = 255
"""What a pointer moves by is in one register."""


@dataclass(frozen=True, eq=False)
class RecordParams:
    """Members of the C struct; `weights` are records, one a channel, and `limit` is how far the
    upper clamp is above the zero point."""

    weights: Array
    input_width: Int
    input_channels: Int
    output_width: Int
    stride: Int
    pad_left: Int
    input_zero_point: Int8
    output_zero_point: Int8
    limit: UInt8
    window: Window


def _takes(params: object) -> bool:
    assert isinstance(params, Params)
    return (
        params.weights.dtype == np.int8
        and params.stride <= 2
        and params.output_channels <= _MOST_CHANNELS
        and is_three_by_three(params)
        and has_columns_and_rows(params)
        and are_positive(params, axis=CHANNEL_AXIS)
    )


def _pack(work: Work) -> Packed:
    params = work.params
    assert isinstance(params, Params)
    packed = RecordParams(
        weights=_records(params, is_shift=False),
        input_width=params.input_width,
        input_channels=params.input_channels,
        output_width=params.output_width,
        stride=params.stride,
        pad_left=params.pad_left,
        input_zero_point=params.input_zero_point,
        output_zero_point=params.output_zero_point,
        limit=params.clamp_max - params.output_zero_point,
        window=params.window,
    )
    shifting = None
    if are_shifted(params, axis=CHANNEL_AXIS):
        shifting = replace(packed, weights=_records(params, is_shift=True))
    return Packed(packed, has_own_rounding=True, shifting=shifting)


def _records(params: Params, *, is_shift: bool) -> Bytes:
    """Weights, bias and what requantizes of each channel side by side."""
    channels = params.output_channels
    weights = params.weights.reshape(_TAPS, channels).T.astype(np.int8).view(np.uint8)
    bias = bias_bytes(params.bias.astype(np.int64), params.shift, is_shift=is_shift)
    rounding = rounding_bytes(params.multiplier, params.shift, channels=channels, is_shift=is_shift)
    records: Bytes = np.hstack([weights, bias, rounding]).reshape(-1)
    return records


KERNELS = (
    Kernel(
        name="depthwise_conv_2d_along_row_of_bytes",
        template=_TEMPLATE,
        form=Form.WINDOW,
        requires=frozenset((Feature.AVR,)),
        when=_takes,
        has_far_form=True,
        pack=_pack,
    ),
)
