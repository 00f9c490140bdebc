"""CONV_2D of two channels and two pixels at a time, on 8-bit AVR: when that pays, and how."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tinyml_rules.cores.avr.sizes import CONV_2D as SIZES
from tinyml_rules.ir.c_struct import Int, Int8, UInt8
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.window import Window
from tinyml_rules.ops._shared.positive_records import are_positive, are_shifted
from tinyml_rules.ops._shared.unsigned_pairs import MOST_CHANNELS, in_pairs_of_records, twos_of
from tinyml_rules.ops.conv_2d.op import CHANNEL_AXIS, GroupParams, PointwiseParams, WindowParams

_KERNELS = Path(__file__).parent / "kernels"


@dataclass(frozen=True, eq=False)
class PixelParams:
    """Members of the C struct for a 1x1 window; `weights` are records of two channels, `twos` how
    many two input values an output sees, `limit` how far the upper clamp is above the zero
    point."""

    weights: Array
    input_channels: Int
    output_channels: Int
    output_zero_point: Int8
    twos: UInt8
    limit: UInt8


@dataclass(frozen=True, eq=False)
class PatchParams(PixelParams):
    """The same for any window; widths, stride and padding are horizontal, in pixels."""

    input_width: Int
    output_width: Int
    window_width: Int
    stride: Int
    pad_left: Int
    input_zero_point: Int8
    window: Window


def _takes(params: object, *, is_window: bool) -> bool:
    if not isinstance(params, PointwiseParams) or isinstance(params, GroupParams):
        return False
    if isinstance(params, WindowParams) and not _has_columns(params):
        return False
    channels = params.output_channels
    return (
        isinstance(params, WindowParams) == is_window
        and SIZES.least_channels <= channels <= MOST_CHANNELS
        and params.weights.size <= SIZES.most_values * channels
        and are_positive(params, axis=CHANNEL_AXIS)
    )


def _has_columns(params: WindowParams) -> bool:
    """Every window has a column of the image, and its taps lie side by side."""
    last = (params.output_width - 1) * params.stride - params.pad_left
    return (
        params.dilation == 1 and params.pad_left < params.window_width and last < params.input_width
    )


def _pack(work: Work) -> Packed:
    params = work.params
    assert isinstance(params, PointwiseParams)
    shifting = None
    if are_shifted(params, axis=CHANNEL_AXIS):
        shifting = _packed(params, in_pairs_of_records(params, is_shift=True))
    packed = _packed(params, in_pairs_of_records(params))
    return Packed(packed, has_own_rounding=True, shifting=shifting)


def _packed(params: PointwiseParams, records: Array) -> PixelParams:
    pixels = PixelParams(
        weights=records,
        input_channels=params.input_channels,
        output_channels=params.output_channels,
        output_zero_point=params.output_zero_point,
        twos=twos_of(params.weights),
        limit=params.clamp_max - params.output_zero_point,
    )
    if not isinstance(params, WindowParams):
        return pixels
    return PatchParams(
        **vars(pixels),
        input_width=params.input_width,
        output_width=params.output_width,
        window_width=params.window_width,
        stride=params.stride,
        pad_left=params.pad_left,
        input_zero_point=params.input_zero_point,
        window=params.window,
    )


_PIXELS = Kernel(
    name="conv_2d_unsigned_pixels",
    template=_KERNELS / "unsigned_pixels.c.j2",
    form=Form.POINTWISE,
    requires=frozenset((Feature.AVR,)),
    when=partial(_takes, is_window=False),
    runtime=("channel_pairs", "widen_unsigned"),
    has_far_form=True,
    pack=_pack,
)
KERNELS = (
    _PIXELS,
    Kernel(
        name="conv_2d_unsigned_patch",
        template=_KERNELS / "unsigned_patch.c.j2",
        form=Form.WINDOW,
        requires=frozenset((Feature.AVR,)),
        when=partial(_takes, is_window=True),
        runtime=("channel_pairs", "widen_rows"),
        has_far_form=True,
        pack=_pack,
    ),
)
