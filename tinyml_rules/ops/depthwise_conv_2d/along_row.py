"""DEPTHWISE_CONV_2D of a window of 3 x 3, channel after channel along the row: when, and how."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.sum_conditions import BYTES, Ask, outputs_from
from tinyml_rules.ir.sums import Sums
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops.depthwise_conv_2d.op import struct_of

_KERNELS = Path(__file__).parent / "kernels"
_SIZE = 3
_ORDER = (0, 1, 3, 4, 2, 6, 5, 7, 8)
"""Taps, row after row, as they lie in flash: SXTB16 makes pairs of bytes that lie two apart, which
are of one column in the first two rows, and of the first two columns in the third row."""
_LEAST_WIDTH = {1: 3, 2: 3}
"""Pixels of an output row, by stride: with fewer, side by side is faster.  Measured on
Cortex-M4 with single layers of 4, 8 and 64 channels, with and without padding."""
_PLAIN = (
    ((Feature.RISCV,), (), 2),
    ((Feature.THUMB,), (Feature.MULTIPLY_64,), 3),
    ((), (Feature.RISCV, Feature.THUMB), 5),
)
"""Features that a processor has and lacks, and from how many pixels on it pays there in plain C:
the fewer registers, the more.  Measured with the layers of person_detect and kws."""
_MOST_SHIFT = 22
"""To the right, with which twice the zero point can be shifted to the left in 32 bits."""


@dataclass(frozen=True)
class Stride(Variant):
    """Words of the templates."""

    stride: int
    """By how many columns the window moves from one output pixel to the next: 1 or 2."""


@dataclass(frozen=True)
class Block(Stride):
    """Words of the template of blocks."""

    pixels_at_once: int
    """Of a block: 3 to 5."""
    is_row: bool
    """Whether a block is a row, and the columns before and after it are outside."""


def is_three_by_three(sums: Sums) -> bool:
    """Without dilation, and with a depth multiplier of 1."""
    down, across = sums.down, sums.across
    if (down.height, across.size) != (_SIZE, _SIZE):
        return False
    return (down.dilation, sums.outputs // sums.channels, across.dilation) == (1, 1, 1)


def _are_shifted(sums: Sums) -> bool:
    """All sums become smaller, so that nearly always they are requantized at once."""
    return int(sums.shifts.max()) < 0 and int(-sums.shifts.min()) <= _MOST_SHIFT


def _has_columns(sums: Sums) -> bool:
    across = sums.across
    end = (across.outputs - 1) * across.stride + _SIZE - across.pad_before
    return across.pad_before <= 1 and end <= across.inputs + 1


def _has_rows(sums: Sums) -> bool:
    window = sums.down
    last = (window.output_rows - 1) * window.stride - window.pad_top
    return window.pad_top < _SIZE and last < window.input_rows


THREE_BY_THREE = Ask(
    is_three_by_three, "the window is not 3x3 without dilation and with a depth multiplier of 1"
)
COLUMNS_AND_ROWS = (
    Ask(_has_columns, "more than one column of a window is outside on a side"),
    Ask(_has_rows, "a window has no row of the image"),
)
"""Only the first and the last column of a row can be outside, and every window has a row of the
image."""


def along_row(stride: int) -> tuple[Ask, ...]:
    """What kernels can do that walk along rows, for windows that move so far."""
    return (
        THREE_BY_THREE,
        Ask(lambda sums: sums.across.stride == stride, f"the stride is not {stride}"),
        BYTES,
        outputs_from(2),
        Ask(_are_shifted, "sums are shifted to the left, or too far to the right"),
        *COLUMNS_AND_ROWS,
    )


def width_from(least: int) -> Ask:
    """So many pixels of an output row, or more."""
    return Ask(lambda sums: sums.across.outputs >= least, f"fewer than {least} pixels a row")


def pack(work: Work[Sums], order: Sequence[int]) -> Packed:
    """The weights of each channel side by side."""
    struct, by_channel = struct_of(work.facts), work.facts.matrix
    return Packed(replace(struct, weights=np.ascontiguousarray(by_channel[:, order])))


def _kernel(stride: int) -> Kernel[Sums]:
    return Kernel(
        name=f"depthwise_conv_2d_along_row_by_{stride}",
        template=_KERNELS / "along_row.c.j2",
        form=Form.WINDOW,
        requires=frozenset((Feature.DSP, Feature.REGISTERS_32)),
        excludes=frozenset((Feature.MVE,)),
        can=along_row(stride),
        pays=(width_from(_LEAST_WIDTH[stride]),),
        runtime=("add_products", "requantize"),
        variant=Stride(stride),
        pack=partial(pack, order=_ORDER),
    )


def _plain_kernel(
    stride: int, requires: Iterable[Feature], excludes: Iterable[Feature], least_width: int
) -> Kernel[Sums]:
    """For processors that multiply one value at a time."""
    return Kernel(
        name=f"depthwise_conv_2d_along_row_plain_by_{stride}",
        template=_KERNELS / "along_row_plain.c.j2",
        form=Form.WINDOW,
        requires=frozenset((Feature.REGISTERS_32, *requires)),
        excludes=frozenset((Feature.DSP, Feature.MVE, *excludes)),
        can=along_row(stride),
        pays=(width_from(least_width),),
        runtime=("requantize",),
        variant=Stride(stride),
        pack=partial(pack, order=range(_SIZE**2)),
    )


def _block_kernel(stride: int, pixels: int, *, is_row: bool = False) -> Kernel[Sums]:
    """For Cortex-M3: the sums of so many pixels in registers.  `is_row`: they are a row, and the
    columns before and behind it are outside."""
    return Kernel(
        name=f"depthwise_conv_2d_along_row_{'of_' if is_row else ''}{pixels}_by_{stride}",
        template=_KERNELS / "along_row_in_blocks.c.j2",
        form=Form.WINDOW,
        requires=frozenset((Feature.REGISTERS_32, Feature.THUMB, Feature.MULTIPLY_64)),
        excludes=frozenset((Feature.DSP, Feature.MVE)),
        can=(*along_row(stride), width_from(pixels), _MIDDLE_ROW, _blocks(stride, pixels, is_row)),
        runtime=("requantize",),
        variant=Block(stride, pixels, is_row),
        pack=partial(pack, order=range(_SIZE**2)),
    )


def _has_middle_row(sums: Sums) -> bool:
    window = sums.down
    last = (window.output_rows - 1) * window.stride - window.pad_top + 1
    return window.pad_top <= 1 and last < window.input_rows


_MIDDLE_ROW = Ask(_has_middle_row, "the middle row of a window is outside")


def _blocks(stride: int, pixels: int, is_row: bool) -> Ask:
    """Rows are made of such blocks."""
    if is_row:
        return Ask(
            lambda sums: sums.across.inputs == sums.across.outputs == pixels,
            f"rows are not {pixels} pixels long",
        )
    return Ask(
        lambda sums: _pixels_at_once(sums.across.outputs, stride) == pixels,
        f"another number of pixels than {pixels} divides a row better",
    )


def _pixels_at_once(width: int, stride: int) -> int:
    """Of rows so wide; the last block may begin in the one before."""
    is_four = width % 4 == 0 or (width > 6 and width % 3 != 0)
    return 4 if stride == 1 and is_four else 3


KERNELS = (
    *map(_kernel, _LEAST_WIDTH),
    _block_kernel(1, 5, is_row=True),
    *(_block_kernel(*each) for each in ((1, 4), (1, 3), (2, 3))),
    *(_plain_kernel(stride, *each) for stride in _LEAST_WIDTH for each in _PLAIN),
)
"""By how many columns the window moves."""
