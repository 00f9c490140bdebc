"""DEPTHWISE_CONV_2D of an image one pixel wide, as models have it along time: when, and how."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tinyml_rules.ir.c_struct import Int, Int8
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.sum_conditions import BYTES, Ask, outputs_in
from tinyml_rules.ir.sums import Sums

_LANES = 4
"""Channels at a time."""
_MOST_ROWS = 255
"""Of a window: their numbers are bytes."""


@dataclass(frozen=True, eq=False)
class ColumnParams:
    """Members of the C struct.  For four channels after four, `spans` are the first row of the
    window with a weight that is not 0 and the number of rows up to the last such one, and `weights`
    those of these rows; rows are `step` values apart."""

    weights: Array
    spans: Array
    bias: Array
    multiplier: Array
    shift: Array
    channels: Int
    step: Int
    output_zero_point: Int8
    clamp_min: Int8
    clamp_max: Int8


def _is_column(sums: Sums) -> bool:
    return (sums.across.inputs, sums.across.size) == (1, 1)


def _is_inside(sums: Sums) -> bool:
    window = sums.down
    last = (window.height - 1) * window.dilation
    return window.pad_top == 0 and last < window.input_rows


def _pack(work: Work[Sums]) -> Packed:
    """The weights of four channels side by side, row after row."""
    sums, found = work.facts, work.facts.requantization
    by_group = sums.matrix.T.reshape(sums.taps, -1, _LANES).transpose(1, 0, 2)
    spans = [_span(each) for each in by_group]
    rows = [
        each[first : first + count] for each, (first, count) in zip(by_group, spans, strict=True)
    ]
    return Packed(
        ColumnParams(
            weights=np.concatenate(rows).reshape(-1),
            spans=np.array(spans, np.uint8).reshape(-1),
            bias=sums.bias,
            multiplier=sums.multipliers,
            shift=sums.shifts,
            channels=sums.channels,
            step=sums.channels * sums.down.dilation,
            output_zero_point=found.output_zero_point,
            clamp_min=found.clamp_min,
            clamp_max=found.clamp_max,
        )
    )


def _span(weights: Array) -> tuple[int, int]:
    """The first row with a weight that is not 0, and the number of rows up to the last such one, at
    least one."""
    rows = np.flatnonzero(weights.any(axis=1))
    return (int(rows[0]), int(rows[-1] - rows[0]) + 1) if rows.size else (0, 1)


ONE_COLUMN = Kernel(
    name="depthwise_conv_2d_one_column",
    template=Path(__file__).parent / "kernels" / "one_column.c.j2",
    form=Form.WHOLE,
    requires=frozenset((Feature.REGISTERS_32,)),
    excludes=frozenset((Feature.MVE,)),
    can=(
        Ask(_is_column, "the image is not one pixel wide"),
        Ask(lambda sums: sums.outputs == sums.channels, "the depth multiplier is not 1"),
        Ask(
            lambda sums: sums.down.output_rows * sums.down.batches == 1,
            "there is more than one window",
        ),
        Ask(_is_inside, "a row of a window is outside"),
        Ask(lambda sums: sums.taps <= _MOST_ROWS, f"a window of more than {_MOST_ROWS} rows"),
        outputs_in(_LANES),
        BYTES,
    ),
    runtime=("column_sums", "requantize_four"),
    pack=_pack,
)
