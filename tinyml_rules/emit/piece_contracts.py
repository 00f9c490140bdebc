"""The contracts of pieces of arithmetic: boxes of their parameters, and what results from each.

EVA proves them, because it knows what shifts and halves of words do to intervals; all that calls
them relies on the boxes alone.  Pieces with pointers have their contracts in their templates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Range = tuple[int, int]
INT32 = (-(2**31), 2**31 - 1)


@dataclass(frozen=True)
class Box:
    """Ranges of the parameters, both ends included, and the range of the result."""

    parameters: Mapping[str, Range]
    result: Range


@dataclass(frozen=True)
class Piece:
    """The contract of a C function of int32 parameters."""

    name: str
    boxes: tuple[Box, ...]

    def condition(self, box: Box) -> str:
        """That the parameters are inside, in ACSL."""
        ranges = ((name, each) for name, each in box.parameters.items() if each != INT32)
        return " && ".join(f"{low} <= {name} <= {high}" for name, (low, high) in ranges)


_MULTIPLIERS = (0, 2**31 - 1)


def _rescaled(most: int, shifts: Range, result: int) -> Box:
    """Values up to a size."""
    parameters = {"value": (-most, most), "multiplier": _MULTIPLIERS, "shift": shifts}
    return Box(parameters, (-result, result))


ROOM = 2**31 - 2**17
"""Below it a rescaled value has room for a zero point."""
PIECES = {
    piece.name: piece
    for piece in (
        Piece(
            "rounding_high_multiply",
            (
                Box({"a": INT32, "b": _MULTIPLIERS}, (-(2**31) + 1, 2**31 - 2)),
                Box({"a": (-ROOM, ROOM), "b": _MULTIPLIERS}, (-ROOM, ROOM)),
            ),
        ),
        Piece(
            "rounding_shift_right",
            (
                Box({"value": (-(2**31) + 1, 2**31 - 1), "exponent": (0, 31)}, INT32),
                Box({"value": (-(2**31) + 1, 2**31 - 1), "exponent": (1, 31)}, (-(2**30), 2**30)),
            ),
        ),
        Piece(
            "rescale",
            (
                Box(
                    {"value": INT32, "multiplier": _MULTIPLIERS, "shift": (-31, 30)},
                    INT32,
                ),
                Box(
                    {"value": INT32, "multiplier": _MULTIPLIERS, "shift": (-31, -1)},
                    (-(2**30), 2**30),
                ),
                _rescaled(ROOM, (-31, 0), ROOM),
                _rescaled(2**28, (-31, 0), 2**28 + 1),
                _rescaled(2**22, (0, 8), 2**30 + 1),
                _rescaled(2**16, (0, 14), 2**30 + 1),
                _rescaled(511, (0, 21), 2**30 + 1),
            ),
        ),
    )
}
