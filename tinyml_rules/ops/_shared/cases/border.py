"""What the cases of PAD and PADV2 share."""

from __future__ import annotations

from collections.abc import Sequence

Shape = tuple[int, ...]
Pairs = Sequence[tuple[int, int]]
"""Cells before and after, along each dimension."""


def padded(shape: Shape, pairs: Pairs) -> Shape:
    """The shape with so much before and after it."""
    return tuple(size + sum(pair) for size, pair in zip(shape, pairs, strict=True))
