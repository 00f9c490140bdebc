"""CONV_2D of a block of pixels at a time, with the weights of two output channels in one number,
one of them with an offset: when that pays, and how, on Xtensa."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import takewhile
from pathlib import Path

from tinyml_rules.cores.mac16.sizes import BLOCK as MAC16
from tinyml_rules.cores.mul16s.order import GROUP, IN_OFFSET_PAIRS
from tinyml_rules.cores.mul16s.sizes import BLOCK as MUL16S
from tinyml_rules.cores.mul16s.sizes import CONV_2D as SIZES
from tinyml_rules.cores.mul16s.sizes import BlockSizes
from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.sum_conditions import (
    BYTES,
    CLOSE,
    DILATED,
    PIXELS,
    UNGROUPED,
    WINDOW,
    Ask,
    outputs_in,
)
from tinyml_rules.ir.sums import Sums
from tinyml_rules.ops._shared.paired import pack_in_offset_pairs
from tinyml_rules.ops.conv_2d.op import (
    PointwiseParams,
    WindowParams,
    pixel_struct,
    window_struct,
)
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
    has_rest: bool = False
    """Whether the outputs may be no whole groups: weights of 0 fill up the last."""


def _steps(sums: Sums) -> int:
    """Of four values behind an output."""
    return -(-sums.values // GROUP)


def _is_worth(sums: Sums, core: BlockSizes) -> bool:
    least = core.least if sums.outputs > SIZES.few_outputs else SIZES.least_of_four
    if sums.values % GROUP:
        least = SIZES.least_ragged
    return sums.values >= (least * SIZES.of_column if sums.across.outputs == 1 else least)


def _is_worth_filling(sums: Sums, core: BlockSizes) -> bool:
    """Where outputs are left that are no whole group."""
    left, has_whole_values = sums.outputs % GROUP, sums.values % GROUP == 0
    if sums.outputs < GROUP:
        is_enough = sums.outputs >= core.least_outputs and sums.values >= core.least_of_few
        return is_enough and (core.fills_halves or not has_whole_values)
    if left == GROUP // 2 and has_whole_values:
        return core.fills_halves
    return sums.outputs != GROUP + 1 or sums.values >= core.least_of_one_left


def _pack(work: Work[Sums], core: BlockSizes) -> Packed:
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


def _kernels(core: BlockSizes) -> tuple[Kernel[Sums], ...]:
    whole = (BYTES, UNGROUPED, outputs_in(GROUP), IN_OFFSET_PAIRS)
    rest = (BYTES, UNGROUPED, IN_OFFSET_PAIRS)
    fills = Ask(
        partial(_is_worth_filling, core=core), "weights of 0 would fill up too much of a group"
    )
    before = takewhile(lambda each: each is not core, _CORES)  # which have MUL16S, too
    excludes = frozenset(each.feature for each in before)
    return (*_with(core, whole), *(_of_rest(each, fills, excludes) for each in _with(core, rest)))


def _of_rest(kernel: Kernel[Sums], pays: Ask, excludes: frozenset[Feature]) -> Kernel[Sums]:
    """The same of any number of outputs, for this core alone."""
    variant = kernel.variant
    assert isinstance(variant, Block)
    return replace(
        kernel,
        name=f"{kernel.name}_rest",
        excludes=excludes,
        pays=(*kernel.pays, pays),
        variant=replace(variant, has_rest=True),
    )


def _with(core: BlockSizes, plain: tuple[Ask, ...]) -> tuple[Kernel[Sums], ...]:
    pixels = Kernel(
        name=f"conv_2d_offset_pixels_{core.feature}",
        template=_KERNELS / "offset_pixels.c.j2",
        form=Form.POINTWISE,
        requires=frozenset((core.feature, Feature.REGISTERS_32)),
        can=(PIXELS, *plain),
        pays=(Ask(lambda sums: _is_worth(sums, core), "too few values behind an output"),),
        runtime=("block_products", "widen_unsigned", "requantize"),
        copies_unit=True,
        variant=Block(),
        pack=partial(_pack, core=core),
    )
    patch = replace(
        pixels,
        name=f"conv_2d_offset_patch_{core.feature}",
        template=_KERNELS / "offset_patch.c.j2",
        form=Form.WINDOW,
        copies_unit=False,
        can=(WINDOW, CLOSE, *plain),
        runtime=(*pixels.runtime, "fill_unsigned"),
    )
    dilated = replace(
        patch,
        name=f"conv_2d_dilated_offset_patch_{core.feature}",
        can=(WINDOW, DILATED, *plain),
        variant=Block(is_dilated=True),
    )
    return (pixels, patch, dilated)


KERNELS = tuple(kernel for core in _CORES for kernel in _kernels(core))
