"""How a core requantizes bounded sums: what its forms take, and the tables that they read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.rounding import Rounding

SHIFTING = (Rounding.SHIFT, Rounding.SHIFT_UPWARDS)
"""Forms for multipliers of 2^30 alone."""

SHORT_BITS = 26
"""Of the multipliers that take two products of 32 bits instead of three."""
LOW_BITS = 31 - SHORT_BITS
"""Of a multiplier of 31 bits, which are 0 in a short one."""
_MORE_BELOW = 4
"""Bits below those of the other forms without a product of 64 bits."""


@dataclass(frozen=True)
class Bounds:
    """What a form takes: sums below 2^`bits` in size, to be shifted to the right by `shifts`.

    Of sums beyond, all that are shifted by at most `saturating_shift` become the least or the
    greatest int8, as their nearest below is.
    """

    bits: int
    shifts: range
    saturating_shift: int = 0

    def take(self, most_sum: int, right: Array) -> bool:
        """Whether they are for sums of up to this size and these shifts to the right."""
        first, last = int(right.min()), int(right.max())
        if first not in self.shifts or last not in self.shifts:
            return False
        return most_sum >> self.bits == 0 or last <= self.saturating_shift


OF_32_BITS = Bounds(bits=29, shifts=range(1, 23))
"""Of forms with registers of 32 bits, and a product of 64 or none."""


@dataclass(frozen=True)
class Finish:
    """The forms of a core for bounded sums."""

    bounds: Bounds
    """What forms with a multiplication take."""
    stored: Callable[[Array, Array], tuple[Array, Array]]
    """The tables that those read, from multipliers and shifts to the right."""
    last: Rounding = Rounding.UPWARDS
    """The last Rounding with a multiplication that has a form."""
    shifts_left: bool = False
    """Whether `stored` gives shifts to the left."""
    shifting: Bounds | None = None
    """What the forms without a multiplication take; None where there are none."""
    shifting_forms: tuple[Rounding, ...] = SHIFTING
    stored_shifts: Callable[[Array], Array] = np.asarray
    """The table that those read."""
    alone: str = ""
    """The ending of the pieces for values that have a shift of their own."""

    @property
    def forms(self) -> tuple[Rounding, ...]:
        """Those that it has, but for the one that is for any sums."""
        every = list(Rounding)
        forms = every[1 : every.index(self.last) + 1]
        return (*forms, *(self.shifting_forms if self.shifting is not None else ()))

    def bounds_of(self, rounding: Rounding) -> Bounds:
        """What one of its forms takes."""
        bounds = self.shifting if rounding in SHIFTING else self.bounds
        assert bounds is not None
        return bounds

    def tables(
        self, rounding: Rounding, multiplier: Array, right: Array
    ) -> tuple[Array | None, Array]:
        """What the form reads: (multipliers, shifts), as int32 and int8, from TFLM's multipliers
        and its shifts to the right; for short ones those whose lowest bits are 0."""
        if rounding in SHIFTING:
            return None, self.stored_shifts(right).astype(np.int8)
        factors, shift = self.stored(multiplier, right)
        if rounding is Rounding.SHORT:
            factors, shift = np.right_shift(factors, LOW_BITS), shift + _MORE_BELOW
        return factors.astype(np.int32), shift.astype(np.int8)
