"""Kinds of work, for which the targets state the best known cycles.  Standard library only, like
the targets that read it."""

from __future__ import annotations

from enum import Enum


class WorkKind(Enum):
    """Of 8-bit values.  Products are counted per output value."""

    DENSE = "dense"
    """Weighted sums over all channels, with the same weights for many pixels."""
    VECTOR = "vector"
    """Weighted sums in which each weight is used once."""
    DEPTHWISE = "depthwise"
    """Weighted sums over a window of one channel."""
    TABLE = "table"
    """Each value by a table of 256."""
    COPY = "copy"
    """Values moved unchanged."""
    OTHER = ""
    """No known cycles."""

    @staticmethod
    def of_sums(pixels: int) -> WorkKind:
        """The kind of weighted sums over all channels of so many pixels."""
        return WorkKind.DENSE if pixels > 1 else WorkKind.VECTOR

    @property
    def has_products(self) -> bool:
        return self in (WorkKind.DENSE, WorkKind.VECTOR, WorkKind.DEPTHWISE)
