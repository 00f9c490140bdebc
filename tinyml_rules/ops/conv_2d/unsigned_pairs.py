"""CONV_2D of two channels and up to three pixels at a time, on 8-bit AVR: when that pays, and
how."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tinyml_rules.cores.avr.order import TWO
from tinyml_rules.cores.avr.sizes import CONV_2D as SIZES
from tinyml_rules.ir.buffers import Scratch
from tinyml_rules.ir.c_struct import Int, Int8, UInt8
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.sum_conditions import (
    CLOSE,
    PIXELS,
    UNGROUPED,
    WINDOW,
    Ask,
    outputs_from,
    outputs_up_to,
    values_up_to,
)
from tinyml_rules.ir.sums import Sums
from tinyml_rules.ir.window import Window
from tinyml_rules.ops._shared.positive_records import are_shifted
from tinyml_rules.ops._shared.unsigned_pairs import (
    ALL,
    MOST_CHANNELS,
    Records,
    in_pairs_of_records,
    twos_of,
)

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


@dataclass(frozen=True)
class Patch(Records):
    """Words of the template of any window."""

    most_short: int = 257
    """So many bytes have a sum of 16 bits, whatever they are."""


MOST_PIXELS = 3
"""At a time."""


def _of_pixels(work: Work[Sums]) -> Scratch:
    """The values of the pixels at a time, an even number of each."""
    sums = work.facts
    pixels = work.units if sums.window is None else sums.across.outputs
    return Scratch(min(pixels, MOST_PIXELS) * TWO * twos_of(sums.values))


def _has_columns(sums: Sums) -> bool:
    """Every window has a column of the image."""
    across = sums.across
    last = (across.outputs - 1) * across.stride - across.pad_before
    return across.pad_before < across.size and last < across.inputs


HAS_COLUMNS = Ask(_has_columns, "a window lies outside the image")
SHORT_ROWS = Ask(
    lambda sums: sums.across.size * sums.channels <= SIZES.most_of_row,
    f"a row of a window has more than {SIZES.most_of_row} values",
)
_PLAIN = (UNGROUPED, outputs_up_to(MOST_CHANNELS))
_PAIRS = (outputs_from(SIZES.least_channels),)


def _pack(work: Work[Sums], records: Records) -> Packed:
    sums, shifting = work.facts, None
    if are_shifted(sums) and not records.is_signed:
        shifting = _packed(sums, in_pairs_of_records(sums, records, is_shift=True))
    packed = _packed(sums, in_pairs_of_records(sums, records))
    return Packed(packed, has_own_rounding=True, shifting=shifting)


def _packed(sums: Sums, weights: Array) -> PixelParams:
    if sums.window is None:
        return PixelParams(weights=weights, **of_channels(sums))
    return PatchParams(weights=weights, window=sums.window, **of_channels(sums), **of_columns(sums))


def of_channels(sums: Sums) -> dict[str, int]:
    """Members of the C struct about what a pixel has."""
    found = sums.requantization
    return {
        "input_channels": sums.channels,
        "output_channels": sums.outputs,
        "output_zero_point": found.output_zero_point,
        "twos": twos_of(sums.values),
        "limit": found.clamp_max - found.output_zero_point,
    }


def of_columns(sums: Sums) -> dict[str, int]:
    """The same about what a row has."""
    across = sums.across
    return {
        "input_width": across.inputs,
        "output_width": across.outputs,
        "window_width": across.size,
        "stride": across.stride,
        "pad_left": across.pad_before,
        "input_zero_point": 0 if sums.window is None else sums.input_zero_point,
    }


_PIXELS = Kernel(
    name="conv_2d_unsigned_pixels",
    template=_KERNELS / "unsigned_pixels.c.j2",
    form=Form.POINTWISE,
    requires=frozenset((Feature.AVR,)),
    can=(PIXELS, values_up_to(SIZES.most_channels), *_PLAIN),
    pays=_PAIRS,
    runtime=("widen_unsigned",),
    copies_unit=True,
    has_far_form=True,
    scratch=_of_pixels,
)
_PATCH = Kernel(
    name="conv_2d_unsigned_patch",
    template=_KERNELS / "unsigned_patch.c.j2",
    form=Form.WINDOW,
    requires=frozenset((Feature.AVR,)),
    can=(WINDOW, CLOSE, HAS_COLUMNS, values_up_to(SIZES.most_values), SHORT_ROWS, *_PLAIN),
    pays=_PAIRS,
    runtime=("widen_rows",),
    has_far_form=True,
    scratch=_of_pixels,
)


def _of(kernel: Kernel[Sums], records: Records) -> Kernel[Sums]:
    """The kernel for such records."""
    return replace(
        kernel,
        name=f"{kernel.name}{records.records}",
        can=(*kernel.can, *records.asks),
        runtime=(records.piece("channel_pairs"), *kernel.runtime),
        variant=records,
        pack=partial(_pack, records=records),
    )


KERNELS = tuple(
    kernel
    for records in ALL
    for kernel in (_of(_PIXELS, records), _of(_PATCH, Patch(records.records)))
)
