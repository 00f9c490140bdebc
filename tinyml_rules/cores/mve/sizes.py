"""What the stack and the instructions of Helium have room for.

`./tinyml bench model=layers target=mps3_an547` shows what a change of them brings.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ConvSizes:
    """Of CONV_2D."""

    most_column_bytes: int = 512
    """Of the copy of the input that windows overlap in, on the stack."""
    most_place: int = 255
    """How far apart the bytes of a vector can be stored."""


CONV_2D = ConvSizes()
