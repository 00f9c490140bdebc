"""Rows or columns of an image that are those of another in regular steps, found from a list of
indices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class IndexSteps:
    """Index i of one axis is index (i * stride - before) / divisor of the other, rounded down."""

    stride: int
    before: int
    divisor: int

    def of(self, indices: Indices) -> Indices:
        """The indices along the other axis; they may be outside of it."""
        return (indices * self.stride - self.before) // self.divisor

    def rest(self, indices: Indices) -> Indices:
        """The remainder of the division."""
        return (indices * self.stride - self.before) % self.divisor


def steps_through(indices: Indices, others: Indices, *, most: int) -> IndexSteps | None:
    """The steps with the least divisor, up to `most`, that give these indices; None if there are no
    ascending ones.

    For all indices, other * divisor <= index * stride - before < (other + 1) * divisor must hold,
    which bounds `before`.
    """
    length = max(int(indices[-1] - indices[0]), 1)
    rise = int(others[-1] - others[0])
    for divisor in range(1, most + 1):
        least = max((rise * divisor - divisor) // length, 1)
        greatest = (rise * divisor + divisor) // length + 1
        for stride in range(least, greatest + 1):
            low = int((indices * stride - (others + 1) * divisor).max()) + 1
            high = int((indices * stride - others * divisor).min())
            if low <= high:
                return IndexSteps(stride, min(max(low, 0), high), divisor)
    return None
