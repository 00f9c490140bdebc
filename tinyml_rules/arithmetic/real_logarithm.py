"""log of float32 as the GNU C library computes it with fused multiply-add, in 64-bit integers, so
that numpy and C have the same bits on every machine.

x = 2^k z with z from 0.7 to 1.4, and z / c = 1 + r for the number c of a table that is next to z:
log(x) = k ln 2 + log(c) + r - r^2 (B2 - B1 r + B0 r^2), which the library (`logf`, by Szabolcs
Nagy) computes in double.  All 2^32 floats were compared with the library, and none differs.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.float32_bits import Float32Array, bits_of
from tinyml_rules.arithmetic.high_product import Uint64Array, high_product
from tinyml_rules.arithmetic.real_rounded import raised

_INVERSES: Final = (
    *("0x1.661ec79f8f3bep+0", "0x1.571ed4aaf883dp+0", "0x1.49539f0f010bp+0"),
    *("0x1.3c995b0b80385p+0", "0x1.30d190c8864a5p+0", "0x1.25e227b0b8eap+0"),
    *("0x1.1bb4a4a1a343fp+0", "0x1.12358f08ae5bap+0", "0x1.0953f419900a7p+0"),
    *("0x1p+0", "0x1.e608cfd9a47acp-1", "0x1.ca4b31f026aap-1"),
    *("0x1.b2036576afce6p-1", "0x1.9c2d163a1aa2dp-1", "0x1.886e6037841edp-1"),
    "0x1.767dcf5534862p-1",
)
"""1 / c, as hexadecimal doubles."""
_LOGARITHMS: Final = (
    *("-0x1.57bf7808caadep-2", "-0x1.2bef0a7c06ddbp-2", "-0x1.01eae7f513a67p-2"),
    *("-0x1.b31d8a68224e9p-3", "-0x1.6574f0ac07758p-3", "-0x1.1aa2bc79c81p-3"),
    *("-0x1.a4e76ce8c0e5ep-4", "-0x1.1973c5a611cccp-4", "-0x1.252f438e10c1ep-5"),
    *("0x0p+0", "0x1.aa5aa5df25984p-5", "0x1.c5e53aa362eb4p-4"),
    *("0x1.526e57720db08p-3", "0x1.bc2860d22477p-3", "0x1.1058bc8a07ee1p-2"),
    "0x1.4043057b6ee09p-2",
)
"""log(c)."""
_FOURTH, _CUBIC, _SQUARE = map(
    np.uint64, (0x403A8D22E20CD000, 0x555D6C2F802DA800, 0x7FFFFBC829048C00)
)
"""B0, B1 and B2, with 64 bits after the point."""
_LN_2: Final = 0xB17217F7D1CF78
"""With 56 bits after the point."""
_FIRST = 0x3F330000
"""The least z, as bits."""
_INFINITY, _BELOW_ZERO = 0x7F800000, 0x80000000
_NOT_A_NUMBER, _BELOW_INFINITY = 0xFFC00000, 0xFF800000
_CENTRE: Final = 585
"""Subtracted from the 64 bits of a sum of 16 or more, so that one that is as good as halfway
between two floats is rounded as the library's is."""
_LARGE = 131


def _table(values: tuple[str, ...], bits: int) -> Uint64Array:
    """The values with so many bits after the point, in two's complement."""
    return np.array(
        [int(Fraction(float.fromhex(each)) * 2**bits) % 2**64 for each in values], np.uint64
    )


INVERSES = _table(_INVERSES, 53)
"""Of the numbers c."""
_LOGARITHM_TABLE = _table(_LOGARITHMS, 64)


def real_log(values: Float32Array) -> Float32Array:
    """log of each: of 0 minus infinity, of what is below NaN."""
    x = np.asarray(values, np.float32)
    bits = bits_of(x)
    with np.errstate(all="ignore"):
        is_small = bits < np.uint32(0x800000)
        scaled = (x * np.float32(2**23)).view(np.uint32)
        found = _inside(np.where(is_small, scaled, bits), np.where(is_small, -23, 0))
    found = np.where(bits >= _INFINITY, bits, found)
    found = np.where(bits >= _BELOW_ZERO, np.uint32(_NOT_A_NUMBER), found)
    found = np.where(x == 0, np.uint32(_BELOW_INFINITY), found).astype(np.uint32)
    return found.view(np.float32)


def _inside(bits: npt.NDArray[np.uint32], power: npt.NDArray[np.int64]) -> Uint64Array:
    """The bits of log of finite numbers above 0, which have an exponent."""
    place = bits.astype(np.int64) - _FIRST
    of_table, power = (place >> 19) & 15, power + (place >> 23)
    z = bits.astype(np.int64) - ((place >> 23) << 23)
    digits = ((z & 0x7FFFFF) | 0x800000) << np.where(z >> 23 == 127, 1, 0)
    sum_ = _LOGARITHM_TABLE[of_table] + _of_rest(digits.astype(np.uint64), INVERSES[of_table])
    far = (sum_.view(np.int64) >> 8) + power * _LN_2
    total = np.where(power == 0, sum_.view(np.int64), far)
    size = np.abs(total).astype(np.uint64)
    return _rounded(size, total < 0, np.where(power == 0, 64, 56))


def _of_rest(digits: Uint64Array, inverse: Uint64Array) -> Uint64Array:
    """log(1 + r), with 64 bits after the point, in two's complement."""
    half = np.uint64(32)
    low = inverse & np.uint64(0xFFFFFFFF)
    rest = (digits * (inverse >> half) << np.uint64(19)) + (digits * low >> np.uint64(13))
    is_below = rest >> np.uint64(63) != 0
    size = np.where(is_below, np.uint64(0) - rest, rest)
    square, linear = high_product(size, size), high_product(size, _CUBIC)
    factor = _SQUARE + high_product(square, _FOURTH)
    factor = np.where(is_below, factor + linear, factor - linear)
    return np.asarray(rest - high_product(square, factor))


def _rounded(
    size: Uint64Array, is_negative: npt.NDArray[np.bool_], after_point: npt.NDArray[np.int64]
) -> Uint64Array:
    """The bits of the nearest floats."""
    exponent = 127 + 63 - after_point
    size, exponent = raised(size, exponent)
    size = np.where(exponent >= _LARGE, size - np.uint64(_CENTRE), size)
    left, half = size & np.uint64(2**40 - 1), np.uint64(2**39)
    digits = size >> np.uint64(40)
    is_up = (left > half) | ((left == half) & (digits & np.uint64(1) != 0))
    found = digits + is_up + ((exponent - 1).astype(np.uint64) << np.uint64(23))
    found = found | np.where(is_negative, np.uint64(1 << 31), np.uint64(0))
    return np.where(digits == 0, np.uint64(0), found)
