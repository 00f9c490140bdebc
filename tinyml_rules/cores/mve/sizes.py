"""What the stack and the instructions of Helium have room for.

`./tinyml bench model=layers target=mps3_an547` shows what a change of them brings.
"""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.cores.short_values import ShortSizes


@dataclass(frozen=True)
class ConvSizes:
    """Of CONV_2D."""

    most_column_bytes: int = 512
    """Of the copy of the input that windows overlap in, on the stack."""
    most_place: int = 255
    """How far apart the bytes of a vector can be stored."""


CONV_2D = ConvSizes()

OF_INT16 = ShortSizes(
    least_values=64, least_with_rest=64, least_of_window=9, least_of_window_with_rest=9
)
