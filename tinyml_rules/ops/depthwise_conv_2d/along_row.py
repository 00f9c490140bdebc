"""DEPTHWISE_CONV_2D of a window of 3 x 3, channel after channel along the row: when, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from tinyml_rules.ir.program import Form, Kernel, Packed, Work
from tinyml_rules.ops.depthwise_conv_2d.op import Params

_KERNELS = Path(__file__).parent / "kernels"
_SIZE = 3
_ORDER = (0, 1, 3, 4, 2, 6, 5, 7, 8)
"""Taps, row after row, as they lie in flash: SXTB16 makes pairs of bytes that lie two apart, which
are of one column in the first two rows, and of the first two columns in the third row."""
_LEAST_WIDTH = {1: 3, 2: 4}
"""Pixels of an output row, by stride: with fewer, side by side is faster.  Measured on
Cortex-M4 with single layers of 4, 8 and 64 channels, with and without padding."""
_LEAST_PLAIN_WIDTH = {1: 5, 2: 5}
_LEAST_WIDTH_OF_RISCV = {1: 2, 2: 2}
"""The same in plain C, measured on Cortex-M3 and on RV32IMC, which has registers for all."""
_MOST_SHIFT = 22
"""To the right, with which twice the zero point can be shifted to the left in 32 bits."""


def takes(params: object, stride: int, least_width: int) -> bool:
    """Whether a kernel for windows that move so far can walk along rows of so many pixels."""
    assert isinstance(params, Params)
    window = params.window
    if (window.height, params.window_width) != (_SIZE, _SIZE) or window.dilation != 1:
        return False
    if (params.depth_multiplier, params.dilation, params.stride) != (1, 1, stride):
        return False
    if params.weights.dtype != np.int8 or params.output_channels == 1:
        return False
    if params.output_width < least_width:
        return False
    return _are_shifted(params) and _has_columns(params) and _has_rows(params)


def _are_shifted(params: Params) -> bool:
    """All sums become smaller, so that nearly always they are requantized at once."""
    return int(params.shift.max()) < 0 and int(-params.shift.min()) <= _MOST_SHIFT


def _has_columns(params: Params) -> bool:
    """Only the first and the last column of a row can be outside."""
    end = (params.output_width - 1) * params.stride + _SIZE - params.pad_left
    return params.pad_left <= 1 and end <= params.input_width + 1


def _has_rows(params: Params) -> bool:
    """Every window has a row of the image."""
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
        requires=frozenset(("dsp", "registers_32")),
        excludes=frozenset(("mve",)),
        when=lambda params: takes(params, stride, _LEAST_WIDTH[stride]),
        runtime=("add_products", "requantize"),
        values={"stride": stride},
        pack=partial(pack, order=_ORDER),
    )


def _plain_kernel(stride: int, least_width: Mapping[int, int], *more: str) -> Kernel:
    """For processors that multiply one value at a time, of those with `more` features."""
    return Kernel(
        name=f"depthwise_conv_2d_along_row_plain_by_{stride}",
        template=_KERNELS / "along_row_plain.c.j2",
        form=Form.WINDOW,
        requires=frozenset(("registers_32", *more)),
        excludes=frozenset(("dsp", "mve")),
        when=lambda params: takes(params, stride, least_width[stride]),
        runtime=("requantize",),
        values={"stride": stride},
        pack=partial(pack, order=range(_SIZE**2)),
    )


KERNELS = (
    *map(_kernel, _LEAST_WIDTH),
    *(_plain_kernel(stride, _LEAST_WIDTH_OF_RISCV, "riscv") for stride in _LEAST_WIDTH_OF_RISCV),
    *(_plain_kernel(stride, _LEAST_PLAIN_WIDTH) for stride in _LEAST_PLAIN_WIDTH),
)
"""By how many columns the window moves."""
