"""CONV_2D whose windows overlap, on processors with vectors: its input copied column by column."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tinyml_rules.cores.mve import CORE
from tinyml_rules.cores.mve.order import LANES, VECTORS
from tinyml_rules.cores.mve.sizes import CONV_2D as SIZES
from tinyml_rules.cores.mve.tiles import PIXEL
from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Form, Work
from tinyml_rules.ir.sum_conditions import CLOSE, UNGROUPED, WINDOW, Ask
from tinyml_rules.ir.sums import Sums
from tinyml_rules.ops._weighted.frame import Frame
from tinyml_rules.ops.conv_2d.op import WindowParams, window_struct


@dataclass(frozen=True, eq=False)
class ColumnsParams(WindowParams):
    """The same for a window whose input is copied column by column, for at most so many output
    pixels at a time."""

    most_pixels: Int


def _has_copy(sums: Sums) -> bool:
    """The bytes of a vector can be stored so far apart, and two windows overlap in it."""
    channels, height = sums.channels, sums.down.height
    place = (LANES // channels - 1) * channels * height + channels - 1
    return place <= SIZES.most_place and _pixels_of_copy(sums) > 1


_OVERLAP = (
    WINDOW,
    UNGROUPED,
    CLOSE,
    Ask(lambda sums: sums.channels <= LANES, f"more than {LANES} channels"),
    Ask(lambda sums: sums.across.stride < sums.across.size, "windows do not overlap"),
    Ask(lambda sums: sums.across.outputs > 1, "one window a row"),
    Ask(_has_copy, "the copy has no room for two windows"),
)
"""The copy has room for the windows of two neighbours, which share columns."""


def _pixels_of_copy(sums: Sums) -> int:
    """The most output pixels whose columns it has room for; less where all copies get as many."""
    across = sums.across
    columns = SIZES.most_column_bytes // (sums.channels * sums.down.height)
    most = max((columns - across.size) // across.stride + 1, 1)
    copies = -(-across.outputs // most)
    return -(-across.outputs // copies)


def _pack_columns(work: Work[Sums]) -> Packed:
    """Weights in vectors, with the input values behind an output column after column."""
    sums, struct = work.facts, window_struct(work.facts)
    pixels = _pixels_of_copy(sums)
    by_column = np.ascontiguousarray(struct.weights.transpose(0, 2, 1, 3))
    columns = (pixels - 1) * sums.across.stride + sums.across.size
    params = ColumnsParams(**vars(struct), most_pixels=pixels)
    matrix = by_column.reshape(sums.matrix.shape)
    return Packed(
        replace(params, weights=VECTORS.pack(matrix)),
        patch=columns * sums.down.height * sums.channels,
    )


KERNEL = replace(
    Frame(
        "conv_2d_columns",
        "columns.c.j2",
        Form.WINDOW,
        _OVERLAP,
        ("fill",),
        step="params->stride * params->window.height * params->input_channels",
    ).kernel(CORE, PIXEL),
    scratch=None,  # on the stack, which the planes of depthwise layers need in any case
    pack=_pack_columns,
)
