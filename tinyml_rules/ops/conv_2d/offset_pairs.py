"""CONV_2D of a block of pixels at a time, with the weights of two output channels in one number,
one of them with an offset: when that pays, and how, on Xtensa."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tinyml_rules.cores.mul16s.order import GROUP
from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ops._shared.paired import pack_in_offset_pairs
from tinyml_rules.ops._weighted.conditions import (
    BYTES,
    CLOSE,
    DILATED,
    IN_OFFSET_PAIRS,
    PIXELS,
    UNGROUPED,
    WINDOW,
    Ask,
    outputs_in,
)
from tinyml_rules.ops._weighted.sums import Sums
from tinyml_rules.ops.conv_2d.op import (
    PointwiseParams,
    WindowParams,
    pixel_struct,
    window_struct,
)

_KERNELS = Path(__file__).parent / "kernels"

_LEAST_RAGGED, _LEAST_OF_FOUR, _FEW_OUTPUTS = 9, 64, 4
_SUMS = 6
"""Words for each pixel of a block, beside its values."""
_OF_COLUMN = 2
"""Values behind an output: where they are no multiple of four, with few outputs, and how many times
as many where there is one pixel at a time.  Measured with single layers on both cores."""


@dataclass(frozen=True)
class _Core:
    """A kind of processor: its `feature`, and what a block takes of its stack."""

    feature: Feature
    least: int
    """Values behind an output: with fewer, widening takes more than it saves."""
    most_pixels: int
    most_halfwords: int
    """Of widened values; of one pixel there may be more."""
    spare_pixels: int
    """Whose room is taken beside those of a block of several."""


_CORES = (
    _Core(Feature.MAC16, least=8, most_pixels=6, most_halfwords=432, spare_pixels=1),
    _Core(Feature.MUL16S, least=16, most_pixels=2, most_halfwords=256, spare_pixels=0),
)


@dataclass(frozen=True, eq=False)
class BlockParams(PointwiseParams):
    """`block`: so many pixels at a time."""

    block: Int


@dataclass(frozen=True, eq=False)
class WindowBlockParams(WindowParams):
    """The same; `steps` of four values behind an output."""

    block: Int
    steps: Int


def _steps(sums: Sums) -> int:
    """Of four values behind an output."""
    return -(-sums.values // GROUP)


def _is_worth(sums: Sums, core: _Core) -> bool:
    least = core.least if sums.outputs > _FEW_OUTPUTS else _LEAST_OF_FOUR
    if sums.values % GROUP:
        least = _LEAST_RAGGED
    return sums.values >= (least * _OF_COLUMN if sums.across.outputs == 1 else least)


def _pack(work: Work[Sums], core: _Core) -> Packed:
    """The pairs of a prepared node, and how many pixels are taken at a time."""
    sums, steps = work.facts, _steps(work.facts)
    room = core.most_halfwords // (GROUP * steps) - core.spare_pixels
    block = max(1, min(room, core.most_pixels))
    spare = core.spare_pixels if block > 1 else 0
    halfwords = GROUP * steps * (block + spare) + 2 * _SUMS * block
    params: PointwiseParams
    if sums.window is None:
        params = BlockParams(**vars(pixel_struct(sums)), block=block)
    else:
        params = WindowBlockParams(**vars(window_struct(sums)), block=block, steps=steps)
    return replace(pack_in_offset_pairs(replace(work, params=params)), patch=halfwords)


def _kernels(core: _Core) -> tuple[Kernel[Sums], ...]:
    plain = (BYTES, UNGROUPED, outputs_in(GROUP), IN_OFFSET_PAIRS)
    pixels = Kernel(
        name=f"conv_2d_offset_pixels_{core.feature}",
        template=_KERNELS / "offset_pixels.c.j2",
        form=Form.POINTWISE,
        requires=frozenset((core.feature, Feature.REGISTERS_32)),
        can=(PIXELS, *plain),
        pays=(Ask(lambda sums: _is_worth(sums, core), "too few values behind an output"),),
        runtime=("block_products", "widen_unsigned", "requantize"),
        values={"sums": _SUMS},
        pack=partial(_pack, core=core),
    )
    patch = replace(
        pixels,
        name=f"conv_2d_offset_patch_{core.feature}",
        template=_KERNELS / "offset_patch.c.j2",
        form=Form.WINDOW,
        can=(WINDOW, CLOSE, *plain),
        runtime=(*pixels.runtime, "fill_unsigned"),
    )
    dilated = replace(
        patch,
        name=f"conv_2d_dilated_offset_patch_{core.feature}",
        can=(WINDOW, DILATED, *plain),
        values={**patch.values, "dilated": "yes"},
    )
    return (pixels, patch, dilated)


KERNELS = tuple(kernel for core in _CORES for kernel in _kernels(core))
