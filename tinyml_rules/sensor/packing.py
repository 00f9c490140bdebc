"""Values that share bytes: what is unpacked at a time, and the colours of pixels, in integers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from tinyml_rules.sensor.raw_keys import Endianness, Levels, Packing

MATRIX_BITS = 16
"""Bits after the point of a colour's factors."""
_RED, _BLUE = Fraction(299, 1000), Fraction(114, 1000)
_GREEN = 1 - _RED - _BLUE
"""What red, blue and green have of the brightness in ITU-R BT.601."""
PIXEL_BYTES = 2
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Unit:
    """So many `values`, in the order of the tensor, from so many `bytes`; a pixel has so many
    `channels`."""

    packing: Packing
    endianness: Endianness
    levels: Levels
    channels: int
    fraction_bits = MATRIX_BITS

    @property
    def pixels(self) -> int:
        """How many are unpacked at a time; of other values two are."""
        return 1 if self.packing is Packing.RGB565 else 2

    @property
    def values(self) -> int:
        """How many are unpacked at a time."""
        return self.pixels * self.channels if self.packing.is_pixels else 2

    @property
    def bytes(self) -> int:
        """How many are read at a time."""
        return PIXEL_BYTES * self.pixels if self.packing.is_pixels else 3

    @property
    def luma(self) -> tuple[int, int, int]:
        """The factors of red, green and blue in brightness."""
        red, green, blue = map(_fixed, (_RED, _GREEN, _BLUE))
        return red, green, blue

    @property
    def black(self) -> int:
        """The brightness of black."""
        return 16 if self.levels is Levels.LIMITED else 0

    @property
    def matrix(self) -> tuple[int, tuple[tuple[int, int], ...]]:
        """The factor of brightness, and those of U - 128 and V - 128 in red, green and blue: of
        BT.601, with 219 steps from black to white and 224 of a colour where levels are limited."""
        is_limited = self.levels is Levels.LIMITED
        light = Fraction(255, 219) if is_limited else Fraction(1)
        colour = Fraction(255, 224) if is_limited else Fraction(1)
        of_red, of_blue = 2 * (1 - _RED) * colour, 2 * (1 - _BLUE) * colour
        rows = (
            (Fraction(0), of_red),
            (-of_blue * _BLUE / _GREEN, -of_red * _RED / _GREEN),
            (of_blue, Fraction(0)),
        )
        return _fixed(light), tuple((_fixed(u), _fixed(v)) for u, v in rows)


def _fixed(factor: Fraction) -> int:
    return round(factor * (1 << MATRIX_BITS))


def colours(unit: Unit, frames: Ints) -> Ints:
    """The values from 0 to 255 of pixels, [..., channels], from their bytes, [..., 2]."""
    if unit.packing is Packing.RGB565:
        return _of_rgb565(unit, frames)
    return _of_yuv(unit, frames)


def _of_rgb565(unit: Unit, frames: Ints) -> Ints:
    """Fewer bits become 8 by repetition of the upper ones, so that white is 255."""
    order = (1, 0) if unit.endianness is Endianness.BIG else (0, 1)
    low, high = (frames[..., place] for place in order)
    word = high << 8 | low
    red, green, blue = word >> 11, word >> 5 & 63, word & 31
    rgb = np.stack([red << 3 | red >> 2, green << 2 | green >> 4, blue << 3 | blue >> 2], axis=-1)
    return rgb if unit.channels > 1 else _rounded(rgb @ np.array(unit.luma))[..., None]


def _of_yuv(unit: Unit, frames: Ints) -> Ints:
    """Two pixels share their colour."""
    pairs = frames.reshape(-1, 2, PIXEL_BYTES)
    light, colour = (pairs[..., 0], pairs[..., 1])
    if unit.packing is Packing.UYVY:
        light, colour = colour, light
    factor, rows = unit.matrix
    scaled = (light - unit.black) * factor
    if unit.channels > 1:
        scaled = np.stack([scaled + (colour - 128) @ np.array(row)[:, None] for row in rows], -1)
    found = np.clip(_rounded(scaled), 0, 255)
    return found.reshape(*frames.shape[:-1], unit.channels)


def _rounded(sums: Ints) -> Ints:
    found: Ints = sums + (1 << MATRIX_BITS - 1) >> MATRIX_BITS
    return found
