"""Tables for AVR kernels whose results are never below the zero point.

For sums above zero TFLM's two roundings are one: floor((sum * b + c) / 2^n) with n = 40, b =
multiplier * 2^(9 - shift) and c = 2^39 + 2^(39 - shift) for shifts to the right by up to 7, and all
of it 2^8 times as large for longer ones.  So the result is a byte of a product of bytes, without a
shift.

Where the multiplier is 2^30, the result is (sum + 1 + 2^n) >> (n + 1) for a shift to the right by
n: the rounding term is added to the bias, which changes no result for sums below zero, and two
bytes of the sum are multiplied by a power of 2, so that the product is shifted by whole bytes.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.requantization import Requantization
from tinyml_rules.ir.sum_conditions import Ask
from tinyml_rules.ops._shared.accumulate import ends_of_sums

Bytes = npt.NDArray[np.uint8]
Int64Array = npt.NDArray[np.int64]

SHIFTS = range(1, 16)
FIRST_LONG = 8
MULTIPLIER_BYTES = 5
_HALF = 2**30
"""The multiplier of every ratio that is a power of 2."""
_SUM_BYTES = 3
MOST_SUM: int = 2 ** (8 * _SUM_BYTES - 1) - 1


class Requantized(Protocol):
    """Sums of products that are requantized to int8."""

    @property
    def matrix(self) -> Array:
        """A row of weights per output."""

    @property
    def bias(self) -> Array:
        """One per output."""

    @property
    def requantization(self) -> Requantization:
        """How the sums are requantized."""


def are_positive(sums: Requantized) -> bool:
    """Whether results below the zero point are clamped, and sums and shifts are in the range of the
    tables."""
    found = sums.requantization
    return found.clamp_min >= found.output_zero_point and fits_records(sums)


def fits_records(sums: Requantized) -> bool:
    """Whether sums and shifts are in the range of the tables."""
    found = sums.requantization
    if int(found.right.min()) not in SHIFTS or int(found.right.max()) not in SHIFTS:
        return False
    return most_sum(sums) <= MOST_SUM


POSITIVE = Ask(
    are_positive,
    "results can be below the zero point, or a sum or a shift is larger than a record has room for",
)


def are_shifted(sums: Requantized) -> bool:
    """Whether all multipliers of such sums are 2^30, and the bias has room for the rounding
    term."""
    if not (sums.requantization.multipliers == _HALF).all():
        return False
    return most_sum(sums) + int(rounds_of(sums.requantization.shift).max()) <= MOST_SUM


def most_sum(sums: Requantized) -> int:
    """The largest size of a sum, for all inputs."""
    least, most = ends_of_sums(sums.matrix, sums.bias)
    return max(int(most.max()), -int(least.min()))


def rounds_of(shift: int | Array) -> Int64Array:
    """The rounding term of a sum that is only shifted: one, or one per channel."""
    right = -np.asarray(shift, np.int64)
    found: Int64Array = 1 + np.left_shift(1, right)
    return found


def powers_of_shifts(shift: int | Array) -> Int64Array:
    """The factor of such a sum after rounding; the result is above the lowest byte of the product,
    or, if the factor is negative (its magnitude counts), above the lowest two bytes."""
    right = 1 - np.asarray(shift, np.int64)
    is_long = right > FIRST_LONG
    power = np.left_shift(1, np.where(is_long, 2 * FIRST_LONG, FIRST_LONG) - right)
    return np.where(is_long, -power, power)


def bias_bytes(bias: Int64Array, shift: int | Array, *, is_shift: bool) -> Bytes:
    """[channels][3]: the bias, with the rounding term if that is in it."""
    return sum_bytes(bias + rounds_of(shift) if is_shift else bias)


def rounding_bytes(found: Requantization, *, channels: int, is_shift: bool = False) -> Bytes:
    """[channels][7]: five bytes of the multiplier, the rounding term, and whether the shift is
    long; or [channels][1]: the power of two of a mere shift."""
    if is_shift:
        powers = np.broadcast_to(powers_of_shifts(found.shift), channels)
        return in_bytes(powers, 1)
    factors = np.broadcast_to(found.multipliers, channels)
    right = np.broadcast_to(found.right, channels)
    is_long = right >= FIRST_LONG
    stored = factors << np.where(is_long, 17 - right, 9 - right)
    rounds = np.where(is_long, 1 << (15 - right), 0x80 | 1 << np.maximum(7 - right, 0))
    return np.column_stack([in_bytes(stored, MULTIPLIER_BYTES), rounds, is_long]).astype(np.uint8)


def sum_bytes(values: Array) -> Bytes:
    """[values][3]: modulo 2^24."""
    return in_bytes(values.astype(np.int64), _SUM_BYTES)


def in_bytes(values: npt.NDArray[np.int64], count: int) -> Bytes:
    """[values][count]: the lowest bytes of each, the lowest first."""
    places = 8 * np.arange(count, dtype=np.int64)
    found: Bytes = (values[:, np.newaxis] >> places & 0xFF).astype(np.uint8)
    return found
