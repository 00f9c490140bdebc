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
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops.depthwise_conv_2d.op import Params

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


def takes(params: object, stride: int, least_width: int) -> bool:
    """Whether a kernel for windows that move so far can walk along rows of so many pixels."""
    assert isinstance(params, Params)
    if not is_three_by_three(params) or params.stride != stride:
        return False
    if params.weights.dtype != np.int8 or params.output_channels == 1:
        return False
    if params.output_width < least_width:
        return False
    return _are_shifted(params) and has_columns_and_rows(params)


def is_three_by_three(params: Params) -> bool:
    """Without dilation, and with a depth multiplier of 1."""
    window = params.window
    if (window.height, params.window_width) != (_SIZE, _SIZE):
        return False
    return (window.dilation, params.depth_multiplier, params.dilation) == (1, 1, 1)


def _are_shifted(params: Params) -> bool:
    """All sums become smaller, so that nearly always they are requantized at once."""
    return int(params.shift.max()) < 0 and int(-params.shift.min()) <= _MOST_SHIFT


def has_columns_and_rows(params: Params) -> bool:
    """Only the first and the last column of a row can be outside, and every window has a row of the
    image."""
    return _has_columns(params) and _has_rows(params)


def _has_columns(params: Params) -> bool:
    end = (params.output_width - 1) * params.stride + _SIZE - params.pad_left
    return params.pad_left <= 1 and end <= params.input_width + 1


def _has_rows(params: Params) -> bool:
    window = params.window
    last = (window.output_rows - 1) * window.stride - window.pad_top
    return window.pad_top < _SIZE and last < window.input_rows


def pack(work: Work, order: Sequence[int]) -> Packed:
    """The weights of each channel side by side."""
    params = work.params
    assert isinstance(params, Params)
    by_channel = params.weights.reshape(_SIZE**2, params.output_channels).T
    return Packed(replace(params, weights=np.ascontiguousarray(by_channel[:, order])))


def _kernel(stride: int) -> Kernel:
    return Kernel(
        name=f"depthwise_conv_2d_along_row_by_{stride}",
        template=_KERNELS / "along_row.c.j2",
        form=Form.WINDOW,
        requires=frozenset((Feature.DSP, Feature.REGISTERS_32)),
        excludes=frozenset((Feature.MVE,)),
        when=lambda params: takes(params, stride, _LEAST_WIDTH[stride]),
        runtime=("add_products", "requantize"),
        variant=Stride(stride),
        pack=partial(pack, order=_ORDER),
    )


def _least_plain_width(measured: int) -> int:
    """Pixels of a row, looked at for every node, so that a test of narrow rows can have fewer."""
    return measured


def _plain_kernel(
    stride: int, requires: Iterable[Feature], excludes: Iterable[Feature], least_width: int
) -> Kernel:
    """For processors that multiply one value at a time."""
    return Kernel(
        name=f"depthwise_conv_2d_along_row_plain_by_{stride}",
        template=_KERNELS / "along_row_plain.c.j2",
        form=Form.WINDOW,
        requires=frozenset((Feature.REGISTERS_32, *requires)),
        excludes=frozenset((Feature.DSP, Feature.MVE, *excludes)),
        when=lambda params: takes(params, stride, _least_plain_width(least_width)),
        runtime=("requantize",),
        variant=Stride(stride),
        pack=partial(pack, order=range(_SIZE**2)),
    )


def _block_kernel(stride: int, pixels: int, *, is_row: bool = False) -> Kernel:
    """For Cortex-M3: the sums of so many pixels in registers.  `is_row`: they are a row, and the
    columns before and behind it are outside."""
    return Kernel(
        name=f"depthwise_conv_2d_along_row_{'of_' if is_row else ''}{pixels}_by_{stride}",
        template=_KERNELS / "along_row_in_blocks.c.j2",
        form=Form.WINDOW,
        requires=frozenset((Feature.REGISTERS_32, Feature.THUMB, Feature.MULTIPLY_64)),
        excludes=frozenset((Feature.DSP, Feature.MVE)),
        when=lambda params: _takes_blocks(params, stride, pixels, is_row=is_row),
        runtime=("requantize",),
        variant=Block(stride, pixels, is_row),
        pack=partial(pack, order=range(_SIZE**2)),
    )


def _takes_blocks(params: object, stride: int, pixels: int, *, is_row: bool) -> bool:
    """Whether the middle row of every window is inside, and rows are made of such blocks."""
    if not takes(params, stride, pixels):
        return False
    assert isinstance(params, Params)
    window = params.window
    last = (window.output_rows - 1) * window.stride - window.pad_top + 1
    if window.pad_top > 1 or last >= window.input_rows:
        return False
    if is_row:
        return params.input_width == params.output_width == pixels
    return _pixels_at_once(params.output_width, stride) == pixels


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
