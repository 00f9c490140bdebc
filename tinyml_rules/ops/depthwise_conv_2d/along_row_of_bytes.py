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
from tinyml_rules.ir.sum_conditions import BYTES, Ask, outputs_up_to
from tinyml_rules.ir.sums import Sums
from tinyml_rules.ir.window import Window
from tinyml_rules.ops._shared.positive_records import (
    POSITIVE,
    Bytes,
    are_shifted,
    bias_bytes,
    rounding_bytes,
)
from tinyml_rules.ops.depthwise_conv_2d.along_row import COLUMNS_AND_ROWS, THREE_BY_THREE

_TEMPLATE = Path(__file__).parent / "kernels" / "along_row_of_bytes.c.j2"
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


def _pack(work: Work[Sums]) -> Packed:
    sums, found, across = work.facts, work.facts.requantization, work.facts.across
    packed = RecordParams(
        weights=_records(sums, is_shift=False),
        input_width=across.inputs,
        input_channels=sums.channels,
        output_width=across.outputs,
        stride=across.stride,
        pad_left=across.pad_before,
        input_zero_point=sums.input_zero_point,
        output_zero_point=found.output_zero_point,
        limit=found.clamp_max - found.output_zero_point,
        window=sums.down,
    )
    shifting = None
    if are_shifted(sums):
        shifting = replace(packed, weights=_records(sums, is_shift=True))
    return Packed(packed, has_own_rounding=True, shifting=shifting)


def _records(sums: Sums, *, is_shift: bool) -> Bytes:
    """Weights, bias and what requantizes of each channel side by side."""
    found, weights = sums.requantization, sums.matrix.view(np.uint8)
    bias = bias_bytes(sums.bias.astype(np.int64), found.shift, is_shift=is_shift)
    rounding = rounding_bytes(found, channels=sums.outputs, is_shift=is_shift)
    records: Bytes = np.hstack([weights, bias, rounding]).reshape(-1)
    return records


KERNELS = (
    Kernel(
        name="depthwise_conv_2d_along_row_of_bytes",
        template=_TEMPLATE,
        form=Form.WINDOW,
        requires=frozenset((Feature.AVR,)),
        can=(
            THREE_BY_THREE,
            BYTES,
            Ask(lambda sums: sums.across.stride <= 2, "the stride is more than 2"),
            outputs_up_to(_MOST_CHANNELS),
            *COLUMNS_AND_ROWS,
            POSITIVE,
        ),
        has_far_form=True,
        pack=_pack,
    ),
)
