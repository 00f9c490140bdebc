"""What most of a step's work is: the kinds of which a family of processors tells the best form
that is known.  Standard library only, like the targets that read it."""

from __future__ import annotations

from enum import Enum


class WorkKind(Enum):
    """Of 8-bit values.  Products are counted per output value."""

    DENSE = "dense"
    """Weighted sums over all channels, with the same weights for many pixels."""
    VECTOR = "vector"
    """The same where each weight is used once."""
    DEPTHWISE = "depthwise"
    """Weighted sums over a window of one channel."""
    TABLE = "table"
    """Each value by a table of 256."""
    COPY = "copy"
    """Each value as it is, at another place."""
    OTHER = ""
    """Nothing is known of it."""

    @staticmethod
    def of_sums(pixels: int) -> WorkKind:
        """Of weighted sums over all channels of so many pixels."""
        return WorkKind.DENSE if pixels > 1 else WorkKind.VECTOR

    @property
    def has_products(self) -> bool:
        return self in (WorkKind.DENSE, WorkKind.VECTOR, WorkKind.DEPTHWISE)
