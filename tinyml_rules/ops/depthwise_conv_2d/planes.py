"""DEPTHWISE_CONV_2D by dot products, with the input of each channel in a plane: when, and how."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops.depthwise_conv_2d.op import Params

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


@dataclass(frozen=True, eq=False)
class PlaneParams(Params):
    """The same with weights as [output channels][window width][window height], for at most so many
    output pixels at a time."""

    most_pixels: Int


@dataclass(frozen=True)
class Plane(Variant):
    """Words of the template."""

    plane: int
    """Bytes of a plane."""


def _takes(params: object) -> bool:
    assert isinstance(params, Params)
    if params.weights.dtype != np.int8 or params.dilation != 1 or params.window.dilation != 1:
        return False
    if params.depth_multiplier != 1 or params.output_channels % _GROUP or params.taps > _LANES:
        return False
    return _is_worth_planes(params)


def _is_worth_planes(params: Params) -> bool:
    """In instructions for eight channels of the pixels of a plane, as measured with single layers:
    what dot products save at each pixel, and what planes take."""
    pixels = _pixels_of_plane(params)
    columns = (pixels - 1) * params.stride + params.window_width
    saved = pixels * (_OF_TAP * params.taps - _OF_PIXEL)
    return saved > _OF_PLANES + _OF_VALUE * columns * params.window.height


def _pixels_of_plane(params: Params) -> int:
    """The most output pixels whose columns it has room for; less where all planes get as many."""
    columns = _PLANE // params.window.height
    most = (columns - params.window_width) // params.stride + 1
    if most < 1:
        return 0
    planes = -(-params.output_width // most)
    return -(-params.output_width // planes)


def _pack(work: Work) -> Packed:
    """The weights of each channel side by side, column after column."""
    params = work.params
    assert isinstance(params, Params)
    window = (params.window.height, params.window_width, params.output_channels)
    weights = np.ascontiguousarray(params.weights.reshape(window).transpose(2, 1, 0))
    packed = replace(params, weights=weights)
    return Packed(PlaneParams(**vars(packed), most_pixels=_pixels_of_plane(params)))


PLANES = Kernel(
    name="depthwise_conv_2d_planes",
    template=_TEMPLATE,
    form=Form.WINDOW,
    requires=frozenset((Feature.MVE, Feature.REGISTERS_32)),
    when=_takes,
    runtime=("requantize_vector",),
    variant=Plane(_PLANE),
    pack=_pack,
)
