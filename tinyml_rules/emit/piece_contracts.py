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
    values = INT32 if most == 2**31 else (-most, most)
    parameters = {"value": values, "multiplier": _MULTIPLIERS, "shift": shifts}
    return Box(parameters, (-result, result))


ROOM = 2**31 - 2**17
"""Below it a rescaled value has room for a zero point."""
RESCALED = 2**31 - 2**16
"""The size of what becomes of it: intervals are that much wider."""
RESCALABLE = ((ROOM, 0), (2**15 * 255, 8), (255 * 255, 15), (255, 23))
"""Sizes of values, and the greatest shift of each."""
_ANY_RESULT = (-(2**31) + 1, 2**31 - 2)
"""Of a rounding multiplication."""
_HALVES = (0, 2**30)
"""Multipliers of a factor of a half at most, where the shift is 0."""
PIECES = {
    piece.name: piece
    for piece in (
        Piece(
            "rounding_high_multiply",
            (Box({"a": INT32, "b": _MULTIPLIERS}, _ANY_RESULT),),
        ),
        Piece(
            "rounding_shift_right",
            (
                Box({"value": _ANY_RESULT, "exponent": (0, 0)}, _ANY_RESULT),
                Box({"value": _ANY_RESULT, "exponent": (1, 31)}, (-(2**30), 2**30)),
                Box({"value": (0, 2**31 - 1), "exponent": (12, 12)}, (0, 2**19)),
                Box({"value": (2**31 - 1, 2**31 - 1), "exponent": (12, 12)}, (2**19, 2**19)),
            ),
        ),
        Piece(
            "reciprocal_of_one_plus",
            (Box({"value": (0, 2**31 - 1)}, (2**29, 2**31 - 1)),),
        ),
        Piece(
            "rescale",
            (
                Box({"value": INT32, "multiplier": _MULTIPLIERS, "shift": (0, 0)}, _ANY_RESULT),
                _rescaled(2**31, (-31, -1), 2**30),
                _rescaled(2**30, (-31, -1), 2**29 + 2**17),
                Box(
                    {"value": (-(2**30), 2**30), "multiplier": _HALVES, "shift": (0, 0)},
                    (-(2**29) - 2**17, 2**29 + 2**17),
                ),
                _rescaled(2**28, (-31, 0), 2**28 + 2**17),
                _rescaled(2**15, (-31, -1), 2**14 + 2**10),
                Box(
                    {"value": (-(2**15), 2**15), "multiplier": _HALVES, "shift": (0, 0)},
                    (-(2**14) - 2**10, 2**14 + 2**10),
                ),
                *(_rescaled(most, (0, shift), RESCALED) for most, shift in RESCALABLE),
            ),
        ),
    )
}
