"""exp of float32 as the GNU C library computes it with fused multiply-add, in 64-bit integers, so
that numpy and C have the same bits on every machine.

With N = 32, x * N / ln 2 = k + r for a whole number k and |r| <= 1/2, and
exp(x) = 2^(k / N) * (1 + C2 r + C1 r^2 + C0 r^3), which the library (`expf`, by Szabolcs Nagy)
computes in double.  The integers here have 63 and 64 bits after the point; all 2^32 floats were
compared with the library, and none differs.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.float32_bits import Float32Array, bits_of, size_and_sign
from tinyml_rules.arithmetic.high_product import Uint64Array, high_product

_STEPS = 32
_SCALE: Final = 0x171547652B82FE
"""32 / ln 2, with 47 bits after the point."""
_CUBIC: Final = 0x1C6AF84B91239400
"""C0, with 80 bits after the point."""
_SQUARE: Final = 0x3D7F9CA1F589E600
"""C1, with 74 bits."""
_LINEAR: Final = 0x58B90BFC314B580
"""C2, with 64 bits."""
_POWERS = np.array([int(Fraction(2.0 ** (i / _STEPS)) * 2**63) for i in range(_STEPS)], np.uint64)
_CENTRE: Final = 576
"""Added to 63 bits after the point, so that a sum that is as good as halfway between two floats is
rounded as the library's is."""
_INFINITY, _LEAST_BITS = 0x7F800000, 1
_MOST, _LEAST, _ZERO = 0x42B17217, 0x42CE8ECF, 0x42CFF1B4
"""Sizes as bits: above the first exp is infinite; of negative numbers, above the second the library
gives the least float, and above the third 0."""
_MOST_SHIFT = 63


def real_exp(values: Float32Array) -> Float32Array:
    """exp of each; NaN stays NaN."""
    bits = bits_of(values)
    size, is_negative = size_and_sign(bits)
    with np.errstate(over="ignore"):
        found = _inside(size, is_negative)
    found = np.where(~is_negative & (size > _MOST), np.uint32(_INFINITY), found)
    found = np.where(is_negative & (size > _LEAST), np.uint32(_LEAST_BITS), found)
    found = np.where(is_negative & (size > _ZERO), np.uint32(0), found)
    found = np.where(size > _INFINITY, bits, found).astype(np.uint32)
    return found.view(np.float32)


def _inside(size: npt.NDArray[np.uint32], is_negative: npt.NDArray[np.bool_]) -> Uint64Array:
    """The bits of exp where it is neither infinite nor 0."""
    whole, rest, falls = _divided(size, is_negative)
    square = high_product(rest, rest)
    even = high_product(square, np.uint64(_SQUARE)) >> np.uint64(10)
    cubic = high_product(square, np.uint64(_CUBIC)) >> np.uint64(16)
    odd = high_product(rest, np.uint64(_LINEAR) + cubic)
    power = _POWERS[whole % _STEPS]
    more, part = high_product(even, power), high_product(odd, power)
    result = np.where(falls, power + more - part, power + more + part)
    is_below_one = result >> np.uint64(63) == 0
    result = np.where(is_below_one, result << np.uint64(1), result)
    exponent = whole // _STEPS + 127 - is_below_one
    result = np.where(result < 2**64 - 768, result + np.uint64(_CENTRE), result)
    dropped = (40 + np.clip(1 - exponent, 0, 23)).astype(np.uint64)
    half = np.uint64(1) << (dropped - np.uint64(1))
    digits, left = result >> dropped, result & (half + half - np.uint64(1))
    is_up = (left > half) | ((left == half) & (digits & np.uint64(1) != 0))
    bits = digits + is_up + (np.maximum(exponent - 1, 0).astype(np.uint64) << np.uint64(23))
    return np.asarray(bits)


def _divided(
    size: npt.NDArray[np.uint32], is_negative: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.int64], Uint64Array, npt.NDArray[np.bool_]]:
    """(k, |r| with 64 bits after the point, whether r is below 0) of each float."""
    shift = np.clip(133 - (size >> np.uint32(23)).astype(np.int64), 0, _MOST_SHIFT)
    is_tiny = 133 - (size >> np.uint32(23)).astype(np.int64) > _MOST_SHIFT
    digits = ((size & np.uint32(0x7FFFFF)) | np.uint32(0x800000)).astype(np.uint64)
    above, below = digits * np.uint64(_SCALE >> 32), digits * np.uint64(_SCALE & 0xFFFFFFFF)
    high = (above + (below >> np.uint64(32))) >> np.uint64(32)
    low = (above << np.uint64(32)) + below
    right = shift.astype(np.uint64)
    moved = low >> right | np.where(shift > 0, high << ((64 - right) % np.uint64(64)), 0)
    rest = np.where(is_tiny, np.uint64(0), moved)
    is_above_half = rest >> np.uint64(63) != 0
    whole = (high >> np.minimum(right, np.uint64(32))).astype(np.int64)
    whole = np.where(is_tiny, 0, whole) + is_above_half
    rest = np.where(is_above_half, np.uint64(0) - rest, rest)
    return np.where(is_negative, -whole, whole), rest, is_negative ^ is_above_half
