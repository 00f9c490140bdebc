"""DEPTHWISE_CONV_2D of any window, with the input of four channels in planes: when, and how."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from tinyml_rules.ir.buffers import LITTLE_SCRATCH, Scratch
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
    """The same with weights in the order of the planes, and how many output pixels at most are made
    at a time."""

    most_pixels: Int


@dataclass(frozen=True, kw_only=True)
class Planes(Variant):
    """Words of the template.  A plane has the values of a channel, column after column."""

    value: str
    """C type of the values in a plane."""
    weight: str = "int8_t"
    """C type of the weights as they are read."""
    apart: int = 128
    """How many values it is from a value of a channel to that of the next channel."""
    together: int = 1
    """How many values it is from one of a plane to the next: channels whose values, and weights,
    lie side by side."""
    group: int
    """Weights of a channel that are read at once, whole groups of them; a power of 2."""
    pair: int
    """Weights that are multiplied at once; divides the group."""
    has_twos: bool = False
    """Whether the sums of two windows that are left are made together."""
    has_even_columns: bool = False
    """Whether columns of an odd number of rows have a cell more, so that windows begin in words."""
    loads_words: bool = False
    """Whether C loads words alone, so that assembly loads bytes."""


_BYTES = Planes(value="int8_t", apart=1, together=_CHANNELS, group=1, pair=1)
_HALFWORDS = Planes(value="int16_t", group=4, pair=2, has_twos=True)
_ORDER = (0, 2, 1, 3)
"""Of the weights of a group: SXTB16 makes pairs of bytes that lie two apart."""
_WORDS = Planes(value="int16_t", weight="int32_t", group=4, pair=4, loads_words=True)
_EVEN = replace(_WORDS, has_even_columns=True, loads_words=False)


def _is_apart(planes: Planes) -> bool:
    return planes.together == 1


def _column(planes: Planes, sums: Sums) -> int:
    """Cells of one."""
    height = sums.down.height
    return height + height % 2 if planes.has_even_columns else height


def _most_pixels(planes: Planes, sums: Sums) -> int:
    """That a plane has room for, in whole groups of windows."""
    across = sums.across
    values = planes.apart if _is_apart(planes) else LITTLE_SCRATCH // planes.together
    columns = (values - planes.group) // _column(planes, sums)
    most = (columns - across.size) // across.stride + 1
    return max(most - most % _AT_ONCE, 0)


def _pixels(planes: Planes, sums: Sums) -> int:
    """At a time."""
    return as_many_each_time(sums.across.outputs, _most_pixels(planes, sums))


def as_many_each_time(pixels: int, most: int) -> int:
    """How many of so many pixels are made at a time, no more than there is room for."""
    return -(-pixels // -(-pixels // most))


def _scratch(planes: Planes, work: Work[Sums]) -> Scratch:
    """Four planes; the last windows that are made at a time may begin behind the last pixel."""
    sums = work.facts
    pixels = -(-_pixels(planes, sums) // _AT_ONCE) * _AT_ONCE
    columns = (pixels - 1) * sums.across.stride + sums.across.size
    values = columns * _column(planes, sums) + planes.group
    if _is_apart(planes):
        return Scratch(2 * (planes.apart * (_CHANNELS - 1) + values), _ALIGNMENT)
    return Scratch(values * planes.together, _ALIGNMENT)


def _pack(planes: Planes, work: Work[Sums]) -> Packed:
    sums = work.facts
    packed = replace(struct_of(sums), weights=np.ascontiguousarray(_weights(planes, sums)))
    return Packed(PlaneParams(**vars(packed), most_pixels=_pixels(planes, sums)))


def _weights(planes: Planes, sums: Sums) -> Array:
    """Of the channels that lie together, or of one, filled up with zeros to whole groups: as pairs
    come out of words of bytes, or two to a word, with a word behind all of them, which is read."""
    height, width, column = sums.down.height, sums.across.size, _column(planes, sums)
    by_row = sums.matrix.reshape(sums.outputs, height, width)
    filled = np.pad(by_row.transpose(0, 2, 1), ((0, 0), (0, 0), (0, column - height)))
    by_column = filled.reshape(sums.outputs, -1)
    if not _is_apart(planes):
        every = np.pad(by_column, ((0, -sums.outputs % planes.together), (0, 0)))
        return every.reshape(-1, planes.together, by_column.shape[1]).transpose(0, 2, 1)
    grouped = np.pad(by_column, ((0, 0), (0, -by_column.shape[1] % planes.group)))
    if planes.weight == "int8_t":
        return grouped.reshape(-1, planes.group)[:, list(_ORDER)].reshape(sums.outputs, -1)
    return np.append(grouped.astype("<i2").reshape(-1), np.zeros(2, "<i2")).view("<i4")


def _has_room(planes: Planes, sums: Sums) -> bool:
    return _most_pixels(planes, sums) >= min(_LEAST_PIXELS, sums.across.outputs)


def _is_worth_planes(sums: Sums) -> bool:
    """Windows share most of the columns that are copied."""
    across = sums.across
    columns = (across.outputs - 1) * across.stride + across.size
    return 2 * columns <= across.outputs * across.size


def _kernel(
    name: str, planes: Planes, requires: Iterable[Feature], excludes: Iterable[Feature] = ()
) -> Kernel[Sums]:
    return Kernel(
        name=f"depthwise_conv_2d_plane_of_{name}",
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


OF_WORDS = (
    _kernel("even_words", _EVEN, (Feature.MAC16,)),
    _kernel("words", _WORDS, (Feature.MUL16S, Feature.FLASH_WORDS)),
)
"""On Xtensa."""
KERNELS = (
    _kernel("pairs", _HALFWORDS, (Feature.DSP,)),
    _kernel("bytes", _BYTES, (Feature.THUMB,), (Feature.DSP,)),
    _kernel("bytes", _BYTES, (Feature.RISCV,)),
)
