"""DEPTHWISE_CONV_2D by dot products, with the input of each channel in a plane: when, and how."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.sum_conditions import BYTES, CLOSE, Ask, outputs_in, values_up_to
from tinyml_rules.ir.sums import Sums
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops.depthwise_conv_2d.op import struct_of
from tinyml_rules.ops.depthwise_conv_2d.plane import PlaneParams, as_many_each_time

_TEMPLATE = Path(__file__).parent / "kernels" / "planes.c.j2"
_GROUP = 8
"""Channels that are copied at a time."""
_LANES = 16
"""Values of a vector."""
_PLANE = 42
"""Bytes of a plane: four of them are as far apart as an instruction can say."""
_OF_TAP, _OF_PIXEL, _OF_PLANES, _OF_VALUE = 18, 16, 210, 5
"""Instructions for eight channels: side by side for a tap, what a pixel takes more by planes, what
planes take around all of it, and what copying takes for each cell."""


@dataclass(frozen=True)
class Plane(Variant):
    """Words of the template."""

    plane: int
    """Bytes of a plane."""
    has_rest: bool = False
    """Whether the channels may be no whole groups: weights of 0 fill up the last, of whose values
    those that are there are read and written."""


def _is_worth_planes(sums: Sums) -> bool:
    """In instructions for eight channels of the pixels of a plane, as measured with single layers:
    what dot products save at each pixel, and what planes take."""
    pixels, across = _pixels_of_plane(sums), sums.across
    columns = (pixels - 1) * across.stride + across.size
    saved = pixels * (_OF_TAP * sums.taps - _OF_PIXEL)
    return saved > _OF_PLANES + _OF_VALUE * columns * sums.down.height


def _pixels_of_plane(sums: Sums) -> int:
    """The most output pixels whose columns it has room for; less where all planes get as many."""
    across = sums.across
    most = (_PLANE // sums.down.height - across.size) // across.stride + 1
    return as_many_each_time(across.outputs, most) if most > 0 else 0


def _pack(work: Work[Sums]) -> Packed:
    """The weights of each channel side by side, column after column; zeros fill up a group."""
    sums, struct = work.facts, struct_of(work.facts)
    by_row = sums.matrix.reshape(sums.outputs, sums.down.height, sums.across.size)
    filled = replace(
        struct,
        weights=_filled(np.ascontiguousarray(by_row.transpose(0, 2, 1))),
        bias=_filled(struct.bias),
        multiplier=_filled(struct.multiplier),
        shift=_filled(struct.shift),
    )
    return Packed(PlaneParams(**vars(filled), most_pixels=_pixels_of_plane(sums)))


def _filled(values: Array) -> Array:
    """Of each output channel, and zeros for those that are missing of a group."""
    return np.pad(values, ((0, -len(values) % _GROUP), *((0, 0),) * (values.ndim - 1)))


def _kernel(name: str, channels: tuple[Ask, ...], *, has_rest: bool) -> Kernel[Sums]:
    return Kernel(
        name=name,
        template=_TEMPLATE,
        form=Form.WINDOW,
        requires=frozenset((Feature.MVE, Feature.REGISTERS_32)),
        can=(
            BYTES,
            CLOSE,
            Ask(lambda sums: sums.down.dilation == 1, "the window is dilated"),
            Ask(lambda sums: sums.outputs == sums.channels, "the depth multiplier is not 1"),
            *channels,
            values_up_to(_LANES),
        ),
        pays=(Ask(_is_worth_planes, "planes take more than dot products save"),),
        runtime=("requantize_vector",),
        variant=Plane(_PLANE, has_rest),
        pack=_pack,
    )


PLANES = (
    _kernel("depthwise_conv_2d_planes", (outputs_in(_GROUP),), has_rest=False),
    _kernel("depthwise_conv_2d_planes_rest", (), has_rest=True),
)
