"""The upper half of products of 64-bit integers, as kernels make it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Uint64Array = npt.NDArray[np.uint64]

_HALF, _MASK = np.uint64(32), np.uint64(0xFFFFFFFF)


def high_product(a: Uint64Array, b: Uint64Array | np.uint64) -> Uint64Array:
    """a * b / 2^64, or up to 2 less: the product of the lower halves is left out."""
    crossed = ((a >> _HALF) * (b & _MASK)) >> _HALF
    others = ((a & _MASK) * (b >> _HALF)) >> _HALF
    return np.asarray((a >> _HALF) * (b >> _HALF) + crossed + others)
