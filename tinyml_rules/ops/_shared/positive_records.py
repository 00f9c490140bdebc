"""Tables of kernels for 8-bit AVR whose results are never below the zero point.

Above zero TFLM's two roundings are one: floor((sum * b + c) / 2^n) with n = 40,
b = multiplier * 2^(9 - shift) and c = 2^39 + 2^(39 - shift) for shifts to the right by up to 7, and
all of it 2^8 times as large for longer ones.  So the result is a byte of a product of bytes, and no
shift is left.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from tinyml_rules.ir.graph import Array
from tinyml_rules.ops._shared.accumulate import ends_of_sums

Bytes = npt.NDArray[np.uint8]

_SHIFTS = range(1, 16)
_FIRST_LONG = 8
_MULTIPLIER_BYTES = 5
_SUM_BYTES = 3
_MOST_SUM = 2 ** (8 * _SUM_BYTES - 1) - 1


class Requantized(Protocol):
    """What the params of every operator with sums of products have."""

    @property
    def weights(self) -> Array:
        """Of all channels."""

    @property
    def bias(self) -> Array:
        """One a channel."""

    @property
    def multiplier(self) -> int | Array:
        """One, or one a channel."""

    @property
    def shift(self) -> int | Array:
        """The same."""

    @property
    def output_zero_point(self) -> int:
        """What the result of a sum of 0 is."""

    @property
    def clamp_min(self) -> int:
        """The least result."""


def are_positive(params: Requantized, *, axis: int) -> bool:
    """Whether the clamp cuts off what is below the zero point, and sums and shifts are those that
    the tables are for.  The weights have the output channels along `axis`."""
    right = -np.atleast_1d(np.asarray(params.shift, np.int64))
    if params.clamp_min < params.output_zero_point:
        return False
    if int(right.min()) not in _SHIFTS or int(right.max()) not in _SHIFTS:
        return False
    least, most = ends_of_sums(params.weights, params.bias, axis=axis)
    return bool(max(most.max(), -least.min()) <= _MOST_SUM)


def rounding_bytes(multiplier: int | Array, shift: int | Array, *, channels: int) -> Bytes:
    """[channels][7]: five bytes of the multiplier, what rounds, and whether the shift is long."""
    factors = np.broadcast_to(np.asarray(multiplier, np.int64), channels)
    right = np.broadcast_to(-np.asarray(shift, np.int64), channels)
    is_long = right >= _FIRST_LONG
    stored = factors << np.where(is_long, 17 - right, 9 - right)
    rounds = np.where(is_long, 1 << (15 - right), 0x80 | 1 << np.maximum(7 - right, 0))
    return np.column_stack([in_bytes(stored, _MULTIPLIER_BYTES), rounds, is_long]).astype(np.uint8)


def sum_bytes(values: Array) -> Bytes:
    """[values][3]: modulo 2^24."""
    return in_bytes(values.astype(np.int64), _SUM_BYTES)


def in_bytes(values: npt.NDArray[np.int64], count: int) -> Bytes:
    """[values][count]: the lowest bytes of each, the lowest first."""
    places = 8 * np.arange(count, dtype=np.int64)
    found: Bytes = (values[:, np.newaxis] >> places & 0xFF).astype(np.uint8)
    return found
