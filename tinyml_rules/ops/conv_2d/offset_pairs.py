"""CONV_2D of a block of pixels at a time, with the weights of two output channels in one number
that needs no check: when that pays, and how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tinyml_rules.arithmetic.weight_pairs import GROUP, fit_offset_pairs
from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.program import Form, Kernel, Packed, Work
from tinyml_rules.ops._shared.paired import pack_in_offset_pairs
from tinyml_rules.ops.conv_2d.op import GroupParams, PointwiseParams, WindowParams

_KERNELS = Path(__file__).parent / "kernels"

Takes = Callable[[object], bool]


@dataclass(frozen=True)
class _Core:
    """A kind of processor: its `feature`, and what a block takes of its stack."""

    feature: str
    most_pixels: int
    most_halfwords: int
    """Of widened values; of one pixel there may be more."""
    spare_pixels: int
    """Whose room is taken beside those of the block."""


_CORES = (
    _Core("mac16", most_pixels=6, most_halfwords=432, spare_pixels=1),
    _Core("mul16s", most_pixels=4, most_halfwords=256, spare_pixels=0),
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


def _matrix(params: PointwiseParams) -> Array:
    return params.weights.reshape(params.output_channels, -1)


def _steps(params: PointwiseParams) -> int:
    """Of four values behind an output."""
    return -(-int(params.weights.size // params.output_channels) // GROUP)


def _fits(params: object) -> bool:
    if not isinstance(params, PointwiseParams) or isinstance(params, GroupParams):
        return False
    return params.output_channels % GROUP == 0 and fit_offset_pairs(_matrix(params))


def _is_window(params: object, *, dilated: bool) -> bool:
    return isinstance(params, WindowParams) and (params.dilation != 1) == dilated


def _is_pixel(params: object) -> bool:
    return isinstance(params, PointwiseParams) and not isinstance(params, WindowParams)


def _pack(work: Work, core: _Core) -> Packed:
    """The pairs of a prepared node, and how many pixels are taken at a time."""
    params = work.params
    assert isinstance(params, PointwiseParams)
    packed, steps = pack_in_offset_pairs(work).params, _steps(params)
    room = core.most_halfwords // (GROUP * steps) - core.spare_pixels
    block = max(1, min(room, core.most_pixels))
    if isinstance(params, WindowParams):
        return Packed(WindowBlockParams(**vars(packed), block=block, steps=steps))
    return Packed(BlockParams(**vars(packed), block=block))


def _kernels(core: _Core) -> tuple[Kernel, ...]:
    pixels = Kernel(
        name=f"conv_2d_offset_pixels_{core.feature}",
        template=_KERNELS / "offset_pixels.c.j2",
        form=Form.POINTWISE,
        requires=frozenset((core.feature, "registers_32")),
        when=lambda params: _is_pixel(params) and _fits(params),
        runtime=("block_products", "widen_unsigned", "requantize"),
        values={
            "most_pixels": core.most_pixels,
            "most_halfwords": core.most_halfwords,
            "spare_pixels": core.spare_pixels,
        },
        pack=partial(_pack, core=core),
    )
    patch = replace(
        pixels,
        name=f"conv_2d_offset_patch_{core.feature}",
        template=_KERNELS / "offset_patch.c.j2",
        form=Form.WINDOW,
        when=lambda params: _is_window(params, dilated=False) and _fits(params),
        runtime=(*pixels.runtime, "fill_unsigned"),
    )
    dilated = replace(
        patch,
        name=f"conv_2d_dilated_offset_patch_{core.feature}",
        when=lambda params: _is_window(params, dilated=True) and _fits(params),
        values={**patch.values, "dilated": "yes"},
    )
    return (pixels, patch, dilated)


KERNELS = tuple(kernel for core in _CORES for kernel in _kernels(core))
