"""Numbers of four bits, two a byte: the first in the low bits, as TFLM and the files have them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

AnyArray = npt.NDArray[Any]


def in_nibbles(values: AnyArray) -> npt.NDArray[np.uint8]:
    """int8 numbers from -8 to 7, each run along the last axis from a byte on; an odd one leaves the
    last high bits 0."""
    assert values.min(initial=0) >= -8 and values.max(initial=0) <= 7
    is_odd = values.shape[-1] % 2
    low_bits = values.astype(np.uint8) & 0x0F
    padded = np.pad(low_bits, [(0, 0)] * (values.ndim - 1) + [(0, is_odd)])
    return np.asarray(padded[..., ::2] | padded[..., 1::2] << 4, np.uint8)


def from_nibbles(data: AnyArray, count: int) -> npt.NDArray[np.int8]:
    """Back again: runs of `count` numbers along the last axis."""
    packed = data.view(np.int8)
    low = np.left_shift(packed, 4).view(np.int8) >> 4
    pairs = np.stack([low, packed >> 4], axis=-1)
    return pairs.reshape(*data.shape[:-1], -1)[..., :count]
