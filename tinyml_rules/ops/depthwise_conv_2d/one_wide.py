"""DEPTHWISE_CONV_2D of a window one column wide, four channels at a time: when, and how."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from tinyml_rules.ir.buffers import LITTLE_SCRATCH, Scratch
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.sum_conditions import BYTES, Ask, outputs_in, values_up_to
from tinyml_rules.ir.sums import Sums
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops.depthwise_conv_2d.op import struct_of

_CHANNELS = 4
"""At a time."""
_MOST_ROWS = 64
"""Of a window: a pointer to each may be on the stack."""


def _row_bytes(sums: Sums) -> int:
    return sums.across.inputs * sums.channels


def _scratch(work: Work[Sums]) -> Scratch:
    """A row of zero points, in place of those outside."""
    return Scratch(_row_bytes(work.facts), 4)


def _is_one_wide(sums: Sums) -> bool:
    across = sums.across
    last = (across.outputs - 1) * across.stride
    return across.size == 1 and across.pad_before == 0 and last < across.inputs


def _side_by_side(sums: Sums) -> Array:
    """[output channels / 4][rows][4]."""
    return sums.matrix.reshape(-1, _CHANNELS, sums.taps).transpose(0, 2, 1)


def _in_pairs(sums: Sums) -> Array:
    """Words of two rows each, [output channels / 4][rows / 2][4]; weights of 0 below an odd one."""
    halves = np.pad(sums.matrix, ((0, 0), (0, sums.taps % 2))).astype("<i2").view("<i4")
    return halves.reshape(-1, _CHANNELS, halves.shape[1]).transpose(0, 2, 1)


def _pack(work: Work[Sums], *, is_paired: bool) -> Packed:
    weights = (_in_pairs if is_paired else _side_by_side)(work.facts)
    return Packed(replace(struct_of(work.facts), weights=np.ascontiguousarray(weights)))


@dataclass(frozen=True)
class Rows(Variant):
    """Words of the template."""

    weight: str
    """C type of the weights: of one row, or of two rows in a word."""
    rows_of_weight: int
    """That one of them is for."""


def _kernel(
    name: str, requires: Iterable[Feature], excludes: Iterable[Feature], *, is_paired: bool
) -> Kernel[Sums]:
    return Kernel(
        name=f"depthwise_conv_2d_one_wide{name}",
        template=Path(__file__).parent / "kernels" / "one_wide.c.j2",
        form=Form.WINDOW,
        requires=frozenset((Feature.REGISTERS_32, *requires)),
        excludes=frozenset((Feature.MVE, *excludes)),
        can=(
            BYTES,
            Ask(_is_one_wide, "the window is not one column wide and inside the row"),
            Ask(lambda sums: sums.outputs == sums.channels, "the depth multiplier is not 1"),
            outputs_in(_CHANNELS),
            values_up_to(_MOST_ROWS),
            Ask(
                lambda sums: _row_bytes(sums) <= LITTLE_SCRATCH,
                f"a row of more than {LITTLE_SCRATCH} bytes",
            ),
        ),
        runtime=("row_sums", "requantize_four"),
        variant=Rows("int32_t", 2) if is_paired else Rows("int8_t", 1),
        scratch=_scratch,
        pack=partial(_pack, is_paired=is_paired),
    )


KERNELS = (
    _kernel("_in_pairs", (Feature.DSP,), (), is_paired=True),
    _kernel("", (Feature.THUMB, Feature.MULTIPLY_64), (Feature.DSP,), is_paired=False),
)
"""On Cortex-M0 and RISC-V channels side by side are faster for some shapes, measured with single
layers of 5 x 1 and 9 x 1, one to eight pixels wide."""
