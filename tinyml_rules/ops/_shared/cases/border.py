"""What the cases of PAD and PADV2 share."""

from __future__ import annotations

from collections.abc import (
    Sequence,
)

from hypothesis import strategies as st

Shape = tuple[int, ...]
Pairs = Sequence[tuple[int, int]]
"""Cells before and after, along each dimension."""


def padded(shape: Shape, pairs: Pairs) -> Shape:
    """The shape with so much before and after it."""
    return tuple(size + sum(pair) for size, pair in zip(shape, pairs, strict=True))


@st.composite
def borders(draw: st.DrawFn, *, rank: int, most: int = 3) -> Pairs:
    """So many cells along each dimension, none along most."""
    cells = st.sampled_from((0, 0)) | st.integers(0, most)
    return [(draw(cells), draw(cells)) for _ in range(rank)]
