"""CONV_2D with a window of 3x3 by Winograd's F(2x2, 3x3): 16 products instead of 36."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from tinyml_rules.cores.dsp.order import GROUP
from tinyml_rules.cores.dsp.sizes import WINOGRAD as SIZES
from tinyml_rules.cores.dsp.winograd import BOUNDED, SEEN, SIDE, TILE, from_tiles, in_tiles
from tinyml_rules.ir.buffers import Scratch
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.sum_conditions import BYTES, UNGROUPED, WINDOW, Ask
from tinyml_rules.ir.sums import Sums
from tinyml_rules.ir.words import Variant

_KERNELS = Path(__file__).parent / "kernels"
_WORD_BYTES = 4
_TILES = 2
"""Side by side, that are made at a time."""
_COLUMNS = TILE * (_TILES - 1) + SEEN
"""That they see."""
_WHOLE = (TILE, TILE * _TILES, GROUP)
"""Rows, pixels and channels that are made at a time."""
_ROUND = 16
"""Channels whose products are made in a round of a loop."""
_FIRST = {16: "the channels are no multiple of 16", 8: "the channels are no odd multiple of 8"}
"""Those before the loop, and what is against them: a kernel each, and not a branch."""


@dataclass(frozen=True, kw_only=True)
class Winograd(Variant):
    """Words of the template."""

    least: int
    """Channels whose products are made before the rounds of a loop."""


def _steps_by_one(sums: Sums) -> bool:
    down, across = sums.down, sums.across
    sizes = (down.height, across.size) == (SIDE, SIDE)
    ones = (down.stride, down.dilation, across.stride, across.dilation)
    return sizes and ones == (1, 1, 1, 1) and down.divisor is None and across.divisor == 1


def _made(sums: Sums) -> float:
    """Outputs that are computed for each one that there is: those of whole tiles and groups."""
    counts = (sums.down.output_rows, sums.across.outputs, sums.outputs)
    whole = (count + -count % size for count, size in zip(counts, _WHOLE, strict=True))
    return prod(whole) / prod(counts)


def _most_made(sums: Sums) -> float:
    if sums.channels <= SIZES.few_channels:
        return SIZES.most_made_of_few
    is_many = sums.channels >= SIZES.many_channels
    return SIZES.most_made_of_many if is_many else SIZES.most_made


_BY_ONE = Ask(_steps_by_one, "the window is not 3x3 by steps of one, without dilation")
_IN_TILES = Ask(
    lambda sums: _made(sums) <= _most_made(sums), "whole tiles have too many outputs of no use"
)


def _scratch(work: Work[Sums]) -> Scratch:
    """The values of two tiles and the sums of four outputs, as words, and the pixels that the tiles
    see."""
    channels = work.facts.channels
    words = _TILES * SEEN * SEEN * (channels // 2 + 4)
    return Scratch(_WORD_BYTES * words + SEEN * _COLUMNS * channels, _WORD_BYTES)


def _pack(work: Work[Sums]) -> Packed:
    params: Any = work.params
    matrix, channels = work.facts.matrix, work.facts.channels
    weights = matrix.reshape(-1, SIDE, SIDE, channels)
    words = in_tiles(weights)
    assert np.array_equal(from_tiles(words, len(weights), channels), weights), "not the weights"
    return Packed(replace(params, weights=words))


def _kernel(channels: int) -> Kernel[Sums]:
    return Kernel(
        name=f"conv_2d_winograd_of_{channels}",
        template=_KERNELS / "winograd.c.j2",
        form=Form.WINDOW,
        requires=frozenset((Feature.DSP, Feature.REGISTERS_32)),
        can=(
            *(WINDOW, BYTES, UNGROUPED, _BY_ONE, BOUNDED),
            Ask(lambda sums: sums.channels % _ROUND == channels % _ROUND, _FIRST[channels]),
        ),
        pays=(_IN_TILES,),
        runtime=(
            *("requantize", "copy", "fill"),
            *("winograd_values", f"winograd_products_of_{channels}"),
        ),
        takes_row=True,
        rows_at_once=TILE,
        variant=Winograd(least=channels),
        scratch=_scratch,
        pack=_pack,
        is_large=True,
    )


KERNELS = tuple(map(_kernel, _FIRST))
