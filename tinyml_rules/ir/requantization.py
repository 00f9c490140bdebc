"""How the sums of a step become int8, as the stages ask: C has the same numbers in its struct."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.rounding import Rounding


class Requantizes(Protocol):
    """The members of a C struct whose kernel requantizes."""

    @property
    def multiplier(self) -> int | Array:
        """One, or one an output channel."""

    @property
    def shift(self) -> int | Array:
        """The same; below 0 to the right."""

    @property
    def output_zero_point(self) -> int:
        """What a sum of 0 becomes."""

    @property
    def clamp_min(self) -> int:
        """The least result."""

    @property
    def clamp_max(self) -> int:
        """The greatest result."""


@dataclass(frozen=True, eq=False)
class Requantization:
    """`multiplier` and `shift` as the kernel's struct has them: TFLM's, below 0 to the right, until
    a form of the processor's own has others (`lower/rounding.py`)."""

    multiplier: int | Array | None
    """None where the form needs none."""
    shift: int | Array
    output_zero_point: int
    clamp_min: int
    clamp_max: int
    most_sum: int | None = None
    """The largest size of a sum, for all inputs; None where sums of any size are
    requantized in the same way."""
    rounding: Rounding = Rounding.TWICE
    """What gives the operator's results; `lower/rounding.py` may choose one that gives the same."""

    @classmethod
    def of(cls, params: Requantizes, most_sum: int | None = None) -> Requantization:
        """What a struct says of it."""
        return cls(
            multiplier=params.multiplier,
            shift=params.shift,
            output_zero_point=params.output_zero_point,
            clamp_min=params.clamp_min,
            clamp_max=params.clamp_max,
            most_sum=most_sum,
        )

    @property
    def is_single(self) -> bool:
        """One multiplier and one shift are for all outputs."""
        return isinstance(self.shift, int)

    @property
    def single(self) -> tuple[int, int]:
        """(multiplier, shift), where one of each is for all outputs."""
        assert isinstance(self.multiplier, int) and isinstance(self.shift, int)
        return self.multiplier, self.shift

    @property
    def multipliers(self) -> npt.NDArray[np.int64]:
        """TFLM's, one or one an output."""
        assert self.multiplier is not None
        return np.atleast_1d(np.asarray(self.multiplier, np.int64))

    @property
    def right(self) -> npt.NDArray[np.int64]:
        """By how much TFLM shifts to the right, once or once an output."""
        return -np.atleast_1d(np.asarray(self.shift, np.int64))

    def stored(self, multiplier: Array | None, shift: Array) -> Requantization:
        """The same with what a form of a processor's own reads, in tables or as numbers, as
        before."""
        if not self.is_single:
            return replace(self, multiplier=multiplier, shift=shift)
        number = None if multiplier is None else int(multiplier.item())
        return replace(self, multiplier=number, shift=int(shift.item()))
