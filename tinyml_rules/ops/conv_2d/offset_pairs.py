"""CONV_2D of a block of pixels at a time, with the weights of two output channels in one number,
one of them with an offset: when that pays, and how, on Xtensa."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tinyml_rules.cores.mac16.sizes import BLOCK as MAC16
from tinyml_rules.cores.mul16s.order import GROUP, fit_offset_pairs
from tinyml_rules.cores.mul16s.sizes import BLOCK as MUL16S
from tinyml_rules.cores.mul16s.sizes import CONV_2D as SIZES
from tinyml_rules.cores.mul16s.sizes import BlockSizes
from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ops._shared.paired import pack_in_offset_pairs
from tinyml_rules.ops.conv_2d.op import ColumnParams, GroupParams, PointwiseParams, WindowParams
from tinyml_rules.ops.conv_2d.variants import Dilation

_KERNELS = Path(__file__).parent / "kernels"

_SUMS = 6
"""Words for each pixel of a block, beside its values."""


_CORES = (MAC16, MUL16S)


@dataclass(frozen=True, eq=False)
class BlockParams(PointwiseParams):
    """`block`: so many pixels at a time."""

    block: Int


@dataclass(frozen=True, eq=False)
class WindowBlockParams(WindowParams):
    """The same; `steps` of four values behind an output."""

    block: Int
    steps: Int


@dataclass(frozen=True, kw_only=True)
class Block(Dilation):
    """Words of the templates."""

    sums: int = _SUMS
    """Words of 32 bits for each pixel of a block, next to its values."""


def _steps(params: PointwiseParams) -> int:
    """Of four values behind an output."""
    return -(-params.values // GROUP)


def _fits(params: object, core: BlockSizes) -> bool:
    if not isinstance(params, PointwiseParams) or isinstance(params, GroupParams):
        return False
    is_whole = params.output_channels % GROUP == 0
    return is_whole and _is_worth(params, core) and fit_offset_pairs(params.matrix)


def _is_worth(params: PointwiseParams, core: BlockSizes) -> bool:
    is_column = isinstance(params, ColumnParams)
    if isinstance(params, WindowParams):
        is_column = params.output_width == 1
    least = core.least if params.output_channels > SIZES.few_outputs else SIZES.least_of_four
    if params.values % GROUP:
        least = SIZES.least_ragged
    return params.values >= (least * SIZES.of_column if is_column else least)


def _is_window(params: object, *, dilated: bool) -> bool:
    return isinstance(params, WindowParams) and (params.dilation != 1) == dilated


def _pack(work: Work, core: BlockSizes) -> Packed:
    """The pairs of a prepared node, and how many pixels are taken at a time."""
    params = work.params
    assert isinstance(params, PointwiseParams)
    packed, steps = pack_in_offset_pairs(work).params, _steps(params)
    room = core.most_halfwords // (GROUP * steps) - core.spare_pixels
    block = max(1, min(room, core.most_pixels))
    spare = core.spare_pixels if block > 1 else 0
    halfwords = GROUP * steps * (block + spare) + 2 * _SUMS * block
    if isinstance(params, WindowParams):
        of_window = WindowBlockParams(**vars(packed), block=block, steps=steps)
        return Packed(of_window, patch=halfwords)
    return Packed(BlockParams(**vars(packed), block=block), patch=halfwords)


def _kernels(core: BlockSizes) -> tuple[Kernel, ...]:
    pixels = Kernel(
        name=f"conv_2d_offset_pixels_{core.feature}",
        template=_KERNELS / "offset_pixels.c.j2",
        form=Form.POINTWISE,
        requires=frozenset((core.feature, Feature.REGISTERS_32)),
        when=lambda params: not isinstance(params, WindowParams) and _fits(params, core),
        runtime=("block_products", "widen_unsigned", "requantize"),
        variant=Block(),
        pack=partial(_pack, core=core),
    )
    patch = replace(
        pixels,
        name=f"conv_2d_offset_patch_{core.feature}",
        template=_KERNELS / "offset_patch.c.j2",
        form=Form.WINDOW,
        when=lambda params: _is_window(params, dilated=False) and _fits(params, core),
        runtime=(*pixels.runtime, "fill_unsigned"),
    )
    dilated = replace(
        patch,
        name=f"conv_2d_dilated_offset_patch_{core.feature}",
        when=lambda params: _is_window(params, dilated=True) and _fits(params, core),
        variant=Block(is_dilated=True),
    )
    return (pixels, patch, dilated)


KERNELS = tuple(kernel for core in _CORES for kernel in _kernels(core))
