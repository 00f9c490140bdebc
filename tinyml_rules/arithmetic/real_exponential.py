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
_MOST, _LEAST, _ZERO = 4096, 4768, 4800
"""Whole numbers k: from the first on exp is infinite; of negative numbers, from the second on the
library gives the least float, and from the third on 0."""
_MOST_SHIFT = 63


def real_exp(values: Float32Array) -> Float32Array:
    """exp of each; NaN stays NaN."""
    bits = bits_of(values)
    size, is_negative = size_and_sign(bits)
    digits = ((size & np.uint32(0x7FFFFF)) | np.uint32(0x800000)).astype(np.uint64)
    shift = 133 - (size >> np.uint32(23)).astype(np.int64)
    with np.errstate(over="ignore"):
        found = power_of_two(digits, np.uint64(_SCALE), shift, is_negative)
    return np.where(size > _INFINITY, bits, found).astype(np.uint32).view(np.float32)


def power_of_two(
    digits: Uint64Array,
    factor: Uint64Array | np.uint64,
    shift: npt.NDArray[np.int64],
    is_negative: npt.NDArray[np.bool_],
) -> Uint64Array:
    """The bits of the float that is nearest to 2^(n / 32), infinite or 0 too, for n = digits *
    factor * 2^-(shift + 64), of which the sign is apart."""
    whole, rest = _product(digits, factor, shift)
    is_out = whole >= np.where(is_negative, _LEAST, _MOST)
    least = np.where(whole < _ZERO, np.uint64(_LEAST_BITS), np.uint64(0))
    out = np.where(is_negative, least, np.uint64(_INFINITY))
    is_above_half = rest >> np.uint64(63) != 0
    rest = np.where(is_above_half, np.uint64(0) - rest, rest)
    whole = whole + is_above_half
    inside = _rounded(np.where(is_negative, -whole, whole), rest, is_negative ^ is_above_half)
    return np.where(is_out, out, inside)


def _rounded(
    whole: npt.NDArray[np.int64], rest: Uint64Array, falls: npt.NDArray[np.bool_]
) -> Uint64Array:
    """The bits of 2^((k + r) / 32), of r the size and whether it is below 0."""
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


def _product(
    digits: Uint64Array, factor: Uint64Array | np.uint64, shift: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], Uint64Array]:
    """(the whole part of each n, the rest with 64 bits after the point)."""
    is_tiny = shift > _MOST_SHIFT
    half, right = np.uint64(32), np.clip(shift, 0, _MOST_SHIFT).astype(np.uint64)
    above, below = digits * (factor >> half), digits * (factor & np.uint64(0xFFFFFFFF))
    high = (above + (below >> half)) >> half
    low = (above << half) + below
    moved = low >> right | np.where(shift > 0, high << ((64 - right) % np.uint64(64)), 0)
    whole = (high >> np.minimum(right, half)).astype(np.int64)
    whole = np.where(shift < 0, _ZERO, np.where(is_tiny, 0, whole))
    return whole, np.where(is_tiny | (shift < 0), np.uint64(0), moved)
