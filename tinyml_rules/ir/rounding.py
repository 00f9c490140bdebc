"""How sums become int8."""

from __future__ import annotations

from enum import Enum

_PIECES = frozenset(
    (
        *("requantize", "requantize_four", "requantize_vector"),
        *("pair_channels", "pair_channels_of_two", "pair_channels_widened"),
    )
)
"""Pieces of emit/runtime that there are for each Rounding."""


class Rounding(Enum):
    """How a kernel requantizes its sums; each value ends the names of kernels and of pieces of C.

    All give the same values, each for fewer sums than the one before (`lower/rounding.py`).
    """

    TWICE = ""
    """As TFLM does: a rounding multiplication, then a rounding shift; whatever the sums are."""
    ONCE = "_once"
    """Sums that are bounded, and become smaller."""
    UPWARDS = "_upwards"
    """The same, where the clamp cuts off what is below the zero point."""
    SHORT = "_short"
    """The same, with multipliers of 26 bits that were searched for (`arithmetic/`)."""

    def of_piece(self, piece: str) -> str:
        """The piece of emit/runtime that a kernel calls instead."""
        return f"{piece}{self.value}" if piece in _PIECES else piece
