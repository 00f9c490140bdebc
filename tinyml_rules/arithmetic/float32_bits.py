"""float32 numbers as the bits that they are stored as."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Float32Array = npt.NDArray[np.float32]
Uint32Array = npt.NDArray[np.uint32]

_SIZE = np.uint32(0x7FFFFFFF)


def bits_of(values: Float32Array) -> Uint32Array:
    """Of each number."""
    array = np.asarray(values, np.float32)
    return np.ascontiguousarray(array).view(np.uint32).reshape(array.shape)


def size_and_sign(bits: Uint32Array) -> tuple[Uint32Array, npt.NDArray[np.bool_]]:
    """(the bits of the magnitude of each, whether it has a minus)."""
    return bits & _SIZE, bits > _SIZE
