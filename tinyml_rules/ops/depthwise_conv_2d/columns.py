"""DEPTHWISE_CONV_2D of a window of 3 x 3 on Xtensa, column after column: when, and how.  For MAC16
columns are laid side by side; MUL16S multiplies values as they lie."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.sum_conditions import Ask
from tinyml_rules.ir.sums import Sums
from tinyml_rules.ops.depthwise_conv_2d import along_row
from tinyml_rules.ops.depthwise_conv_2d.along_row import Stride
from tinyml_rules.ops.depthwise_conv_2d.op import struct_of

_KERNELS = Path(__file__).parent / "kernels"
_PIXELS = 24
"""At a time: their columns and sums lie on the stack."""
_MOST_BIAS = 2**22
"""In size, with what rows outside give: 256 times all of a sum fits int32."""
_BY_COLUMN = (0, 3, 1, 4, 2, 5, 6, 7, 8)
"""Taps as they lie in flash: the upper two rows by column, then the third row."""
_LEAST_WIDTH = 3
"""Pixels of an output row; with fewer it was not measured."""


@dataclass(frozen=True)
class Part(Stride):
    """Words of the templates."""

    pixels_of_part: int
    """Output pixels at a time."""


@dataclass(frozen=True)
class Columns(Part):
    """Words of the template of columns side by side."""

    columns: int
    """Of the input behind so many output pixels."""


_SMALL = Ask(
    lambda sums: bool((np.abs(sums.bias.astype(np.int64)) < _MOST_BIAS).all()),
    f"a bias of {_MOST_BIAS} or more",
)


def _pack_in_pairs(work: Work[Sums]) -> Packed:
    """Five words a channel, the lower half of a pair first."""
    sums = work.facts
    filled = np.pad(sums.matrix[:, _BY_COLUMN].astype("<i2"), ((0, 0), (0, 1)))
    filled[:, -1] = filled[:, -2] >> 15
    return Packed(replace(struct_of(sums), weights=np.ascontiguousarray(filled).view("<i4")))


def _kernel(stride: int) -> Kernel[Sums]:
    return Kernel(
        name=f"depthwise_conv_2d_columns_by_{stride}",
        template=_KERNELS / "columns.c.j2",
        form=Form.WINDOW,
        requires=frozenset((Feature.MAC16, Feature.REGISTERS_32)),
        can=(*along_row.along_row(stride), _SMALL),
        pays=(along_row.width_from(_LEAST_WIDTH),),
        runtime=("requantize",),
        variant=Columns(stride, _PIXELS, columns=(_PIXELS - 1) * stride + 3),
        pack=_pack_in_pairs,
    )


def _channel_kernel(stride: int) -> Kernel[Sums]:
    return Kernel(
        name=f"depthwise_conv_2d_channel_columns_by_{stride}",
        template=_KERNELS / "channel_columns.c.j2",
        form=Form.WINDOW,
        requires=frozenset((Feature.MUL16S, Feature.FLASH_WORDS, Feature.REGISTERS_32)),
        can=along_row.along_row(stride),
        pays=(along_row.width_from(_LEAST_WIDTH),),
        runtime=("requantize",),
        variant=Part(stride, _PIXELS),
        pack=partial(along_row.pack, order=_BY_COLUMN),
    )


KERNELS = (*map(_kernel, (1, 2)), *map(_channel_kernel, (1, 2)))
"""By how many columns the window moves."""
