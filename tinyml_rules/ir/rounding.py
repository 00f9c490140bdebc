"""The forms of requantizing: how sums become int8."""

from __future__ import annotations

import re
from enum import Enum

_PIECES = frozenset(
    (
        *("requantize", "requantize_four", "requantize_vector"),
        *("pair_channels", "pair_channels_of_two", "pair_channels_widened"),
        *("nibble_channels", "nibble_channels_of_two"),
        *("channel_pairs", "channel_pairs_nibbles", "channel_fours"),
    )
)
"""Pieces of emit/runtime that exist for each Rounding."""
_FEW = {
    "_nearest": frozenset(("requantize", "requantize_four")),
    **dict.fromkeys(("_int16", "_int16_once", "_int16_wide"), frozenset(("requantize",))),
}
"""Those that exist for a Rounding without all of them."""


class Rounding(Enum):
    """How a kernel requantizes its sums; each value ends the names of kernels and of pieces of C.

    All before NEAREST give the same values; `lower/rounding.py` decides which of them a step
    allows.
    """

    TWICE = ""
    """As TFLM does: a rounding multiplication, then a rounding shift; for any sums."""
    ONCE = "_once"
    """One rounding, for bounded sums that become smaller."""
    UPWARDS = "_upwards"
    """As ONCE, where the clamp cuts off values below the zero point."""
    SHORT = "_short"
    """As ONCE, with multipliers of 26 bits, found by search (`arithmetic/`)."""
    SHIFT = "_shift"
    """As ONCE, with every multiplier 2^30, so that only a shift remains."""
    SHIFT_UPWARDS = "_shift_upwards"
    """As UPWARDS, with every multiplier 2^30."""
    NEAREST = "_nearest"
    """To the nearest integer, ties away from zero: another meaning, for which an operator chooses
    the kernels itself, with multipliers of its own."""
    INT16 = "_int16"
    """As TWICE, with int16 results; this and the next two are other meanings too."""
    INT16_ONCE = "_int16_once"
    """To int16 by a multiplier of 16 bits, with one rounding: of sums of 32 bits."""
    INT16_WIDE = "_int16_wide"
    """The same of sums of 64 bits."""

    @property
    def is_shift(self) -> bool:
        """Whether the params have no multiplier."""
        return self in (Rounding.SHIFT, Rounding.SHIFT_UPWARDS)

    @property
    def is_of_bounded_sums(self) -> bool:
        """Whether it gives TFLM's values for bounded sums, by TFLM's multipliers."""
        return self in (Rounding.ONCE, Rounding.UPWARDS) or self.is_shift

    @property
    def multiplier(self) -> str:
        """The member of a kernel's params that its pieces of C take for the multiplier; a shift
        alone is passed twice instead."""
        return "shift" if self.is_shift else "multiplier"

    @property
    def multiplier_type(self) -> str:
        """The C type of that member, or of its elements."""
        return "int8_t" if self.is_shift else "int32_t"

    def has(self, piece: str) -> bool:
        """Whether a piece exists in this form; pieces without forms always do."""
        return piece not in _PIECES - _FEW.get(self.value, _PIECES)

    def of_piece(self, piece: str) -> str:
        """The piece of emit/runtime that a kernel calls instead."""
        return f"{piece}{self.value}" if piece in _PIECES else piece


_ENDINGS = "|".join(each.value for each in Rounding if each.value)
_ENDING = re.compile(rf"(?:{_ENDINGS})(?=(?:_far)?$)")


def plain_kernel(name: str) -> str:
    """A kernel's name without the ending of its rounding."""
    return _ENDING.sub("", name)
