"""Powers of float32 as the GNU C library computes them, in 64-bit integers, so that numpy and C
have the same bits on every machine.

x^y = 2^(y log2(x)).  x = 2^k z with z from 0.7 to 1.4, and z / c = 1 + r for the number c of a
table that is next to z: log2(x) = k + log2(c) + A4 r + A3 r^2 + A2 r^3 + A1 r^4 + A0 r^5, which the
library (`powf`, by Szabolcs Nagy) computes in double.  Of 10^9 random pairs 7 have another float
than the library's, which is next to it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.float32_bits import (
    Float32Array,
    Uint32Array,
    bits_of,
    size_and_sign,
)
from tinyml_rules.arithmetic.high_product import Uint64Array, high_product
from tinyml_rules.arithmetic.real_exponential import power_of_two
from tinyml_rules.arithmetic.real_logarithm import INVERSES
from tinyml_rules.arithmetic.real_rounded import raised

_LOGARITHMS: Final = (
    *("-0x1.efec65b963019p-2", "-0x1.b0b6832d4fca4p-2", "-0x1.7418b0a1fb77bp-2"),
    *("-0x1.39de91a6dcf7bp-2", "-0x1.01d9bf3f2b631p-2", "-0x1.97c1d1b3b7afp-3"),
    *("-0x1.2f9e393af3c9fp-3", "-0x1.960cbbf788d5cp-4", "-0x1.a6f9db6475fcep-5"),
    *("0x0p+0", "0x1.338ca9f24f53dp-4", "0x1.476a9543891bap-3", "0x1.e840b4ac4e4d2p-3"),
    *("0x1.40645f0c6651cp-2", "0x1.88e9c2c1b9ff8p-2", "0x1.ce0a44eb17bccp-2"),
)
"""log2(c)."""
_LOGARITHM_TABLE = np.array(
    [int(Fraction(float.fromhex(each)) * 2**63) for each in _LOGARITHMS], np.int64
)
"""With 63 bits after the point."""
_FIFTH, _FOURTH, _CUBIC, _SQUARE = map(
    np.uint64, (0x49D85B2525B82C00, 0x5C65A681D719E800, 0x7B1C29B29EEB7400, 0xB8AA3A45F7B64000)
)
"""Sizes of A0 to A3, with 64 bits after the point; A1 and A3 are below 0."""
_LINEAR = np.uint64(0xB8AA3B2955C15800)
"""A4, with 63 bits after the point."""
_FIRST, _AT_ONE = 0x3F330000, 9
"""The least z, as bits; the place of c = 1 in the table."""
_INFINITY, _ONE, _NOT_A_NUMBER = 0x7F800000, 0x3F800000, 0xFFC00000
_LEAST_NORMAL = 0x800000


def real_power(bases: Float32Array, exponents: Float32Array) -> Float32Array:
    """Each power, with the numbers and signs of C's powf."""
    x, y = np.broadcast_arrays(np.asarray(bases, np.float32), np.asarray(exponents, np.float32))
    x, y = np.ascontiguousarray(x), np.ascontiguousarray(y)
    size, is_minus = size_and_sign(bits_of(x))
    size_of_y, is_inverse = size_and_sign(bits_of(y))
    with np.errstate(all="ignore"):
        found = _inside(x, size, size_of_y, is_inverse)
        is_whole, is_odd = np.trunc(y) == y, np.abs(np.fmod(y, np.float32(2))) == 1
    is_ended = (size == 0) | (size == _INFINITY)
    ended = np.where((size == 0) != is_inverse, np.uint32(0), np.uint32(_INFINITY))
    found = np.where(is_ended, ended, found)
    found = np.where(is_minus & is_odd, found | np.uint32(1 << 31), found)
    found = np.where(is_minus & ~is_whole & ~is_ended, np.uint32(_NOT_A_NUMBER), found)
    endless = np.where((size < _ONE) != is_inverse, np.uint32(0), np.uint32(_INFINITY))
    endless = np.where(size == _ONE, np.uint32(_ONE), endless)
    found = np.where(size_of_y == _INFINITY, endless, found)
    found = np.where(np.isnan(x) | np.isnan(y), bits_of(x + y), found)
    found = np.where((size_of_y == 0) | (x == 1), np.uint32(_ONE), found).astype(np.uint32)
    return found.view(np.float32)


def _inside(
    x: Float32Array, size: Uint32Array, size_of_y: Uint32Array, is_inverse: npt.NDArray[np.bool_]
) -> Uint32Array:
    """The bits of powers of the size of finite numbers that are not 0."""
    is_small = size < _LEAST_NORMAL
    scaled = bits_of(np.abs(x) * np.float32(2**23))
    sum_, exponent, is_below = _binary_logarithm(
        np.where(is_small, scaled, size), np.where(is_small, -23, 0)
    )
    digits = ((size_of_y & np.uint32(0x7FFFFF)) | np.uint32(0x800000)).astype(np.uint64)
    shift = 145 - exponent - (size_of_y >> np.uint32(23)).astype(np.int64)
    found = power_of_two(digits, sum_, shift, is_below ^ is_inverse)
    return np.where(sum_ == 0, np.uint32(_ONE), found).astype(np.uint32)


def _binary_logarithm(
    bits: Uint32Array, power: npt.NDArray[np.int64]
) -> tuple[Uint64Array, npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """The size of log2 with its highest bit at the top, or 0; the exponent e that it has 64 - e
    bits after the point with; whether it is below 0."""
    place = bits.astype(np.int64) - _FIRST
    of_table, power = (place >> 19) & 15, power + (place >> 23)
    z = bits.astype(np.int64) - ((place >> 23) << 23)
    digits = (((z & 0x7FFFFF) | 0x800000) << np.where(z >> 23 == 127, 1, 0)).astype(np.uint64)
    inverse, half = INVERSES[of_table], np.uint64(32)
    rest = digits * (inverse >> half) << np.uint64(19)
    rest = rest + (digits * (inverse & np.uint64(0xFFFFFFFF)) >> np.uint64(13))
    is_below = rest >> np.uint64(63) != 0
    rest = np.where(is_below, np.uint64(0) - rest, rest)
    factor = _factor(rest, is_below)
    normal, exponent = raised(rest, np.ones_like(power))
    near = high_product(normal, factor)
    of_rest = high_product(rest, factor).astype(np.int64)
    total = _LOGARITHM_TABLE[of_table] + np.where(is_below, -of_rest, of_rest)
    far = np.where(power == 0, total, (total >> 8) + (power << 55))
    is_near = (power == 0) & (of_table == _AT_ONE)
    size = np.where(is_near, near, np.abs(far).astype(np.uint64))
    exponent = np.where(is_near, exponent, np.where(power == 0, 1, 9))
    return *raised(size, exponent), np.where(is_near, is_below, far < 0)


def _factor(rest: Uint64Array, is_below: npt.NDArray[np.bool_]) -> Uint64Array:
    """log2(1 + r) / r, with 63 bits after the point."""
    square, one = high_product(rest, rest), np.uint64(1)
    odd = high_product(rest, _SQUARE + high_product(square, _FOURTH)) >> one
    even = high_product(square, _CUBIC + high_product(square, _FIFTH)) >> one
    factor = _LINEAR + even
    return np.where(is_below, factor + odd, factor - odd)
