"""DEPTHWISE_CONV_2D of any window, with the input of four channels in planes: when, and how."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from tinyml_rules.ir.buffers import Scratch
from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.sum_conditions import BYTES, CLOSE, Ask, values_from
from tinyml_rules.ir.sums import Sums
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops.depthwise_conv_2d.op import Params, struct_of

_TEMPLATE = Path(__file__).parent / "kernels" / "plane.c.j2"
_CHANNELS = 4
"""That are copied at a time."""
_AT_ONCE = 4
"""Windows whose sums are made at a time, sharing each weight."""
_LEAST_PIXELS = 8
"""That a plane has room for, of rows that are so long."""
_LEAST_TAPS = 9
"""With fewer, what is around the sums outweighs them.  Measured with single layers of windows from
1 x 5 to 7 x 7 on Cortex-M4, M3, M0 and RISC-V."""
_ALIGNMENT = 4


@dataclass(frozen=True, eq=False)
class PlaneParams(Params):
    """The same with weights in the order of the planes, for at most so many output pixels at a
    time."""

    most_pixels: Int


@dataclass(frozen=True, kw_only=True)
class Planes(Variant):
    """Words of the template.  A plane has the values of a channel, column after column."""

    value: str
    """C type of the values in a plane."""
    apart: int
    """How many values it is from a value of a channel to that of the next channel."""
    together: int
    """How many values it is from one of a plane to the next: channels whose values, and weights,
    lie side by side."""
    group: int
    """Weights of a channel that are read at once, whole groups of them; a power of 2."""
    pair: int
    """Weights that are multiplied at once; divides the group."""
    has_twos: bool
    """Whether the sums of two windows that are left are made together."""


_BYTES = Planes(value="int8_t", apart=1, together=_CHANNELS, group=1, pair=1, has_twos=False)
_MOST_BYTES = 512
"""Of these planes: as much scratch memory as any kernel may need."""
_HALFWORDS = Planes(value="int16_t", apart=128, together=1, group=4, pair=2, has_twos=True)
_ORDER = (0, 2, 1, 3)
"""Of the weights of a group: SXTB16 makes pairs of bytes that lie two apart."""


def _is_apart(planes: Planes) -> bool:
    return planes.together == 1


def _most_pixels(planes: Planes, sums: Sums) -> int:
    """That a plane has room for, in whole groups of windows."""
    across = sums.across
    values = planes.apart if _is_apart(planes) else _MOST_BYTES // planes.together
    columns = (values - planes.group) // sums.down.height
    most = (columns - across.size) // across.stride + 1
    return max(most - most % _AT_ONCE, 0)


def _pixels(planes: Planes, sums: Sums) -> int:
    """At a time: no more than there is room for, and each time as many."""
    times = -(-sums.across.outputs // _most_pixels(planes, sums))
    return -(-sums.across.outputs // times)


def _scratch(planes: Planes, work: Work[Sums]) -> Scratch:
    """Four planes; the last windows that are made at a time may begin behind the last pixel."""
    sums = work.facts
    pixels = -(-_pixels(planes, sums) // _AT_ONCE) * _AT_ONCE
    columns = (pixels - 1) * sums.across.stride + sums.across.size
    values = columns * sums.down.height + planes.group
    if _is_apart(planes):
        return Scratch(2 * (planes.apart * (_CHANNELS - 1) + values), _ALIGNMENT)
    return Scratch(values * planes.together, _ALIGNMENT)


def _pack(planes: Planes, work: Work[Sums]) -> Packed:
    sums = work.facts
    weights = _in_pairs(sums) if _is_apart(planes) else _side_by_side(sums)
    packed = replace(struct_of(sums), weights=np.ascontiguousarray(weights))
    return Packed(PlaneParams(**vars(packed), most_pixels=_pixels(planes, sums)))


def _by_column(sums: Sums) -> Array:
    """[output channels][taps], column after column."""
    by_row = sums.matrix.reshape(sums.outputs, sums.down.height, sums.across.size)
    return by_row.transpose(0, 2, 1).reshape(sums.outputs, sums.taps)


def _in_pairs(sums: Sums) -> Array:
    """Those of a channel side by side, filled up with zeros to whole groups."""
    filled = np.pad(_by_column(sums), ((0, 0), (0, -sums.taps % _HALFWORDS.group)))
    return filled.reshape(-1, _HALFWORDS.group)[:, list(_ORDER)].reshape(sums.outputs, -1)


def _side_by_side(sums: Sums) -> Array:
    """[output channels / 4][taps][4], the last channels filled up with zeros."""
    filled = np.pad(_by_column(sums), ((0, -sums.outputs % _CHANNELS), (0, 0)))
    return filled.reshape(-1, _CHANNELS, sums.taps).transpose(0, 2, 1)


def _has_room(planes: Planes, sums: Sums) -> bool:
    return _most_pixels(planes, sums) >= min(_LEAST_PIXELS, sums.across.outputs)


def _is_worth_planes(sums: Sums) -> bool:
    """Windows share most of the columns that are copied."""
    across = sums.across
    columns = (across.outputs - 1) * across.stride + across.size
    return 2 * columns <= across.outputs * across.size


def _kernel(
    planes: Planes, requires: Iterable[Feature], excludes: Iterable[Feature] = ()
) -> Kernel[Sums]:
    return Kernel(
        name=f"depthwise_conv_2d_plane_of_{planes.value.removesuffix('_t')}",
        template=_TEMPLATE,
        form=Form.WINDOW,
        requires=frozenset((Feature.REGISTERS_32, *requires)),
        excludes=frozenset((Feature.MVE, *excludes)),
        can=(
            BYTES,
            CLOSE,
            Ask(partial(_has_room, planes), "a plane has no room for the windows of some pixels"),
        ),
        pays=(
            values_from(_LEAST_TAPS),
            Ask(_is_worth_planes, "windows share less than half of their columns"),
        ),
        runtime=("window_sums", "requantize"),
        variant=planes,
        scratch=partial(_scratch, planes),
        pack=partial(_pack, planes),
    )


KERNELS = (
    _kernel(_HALFWORDS, (Feature.DSP,)),
    _kernel(_BYTES, (), (Feature.DSP, Feature.FLASH_WORDS, Feature.MAC16)),
)
