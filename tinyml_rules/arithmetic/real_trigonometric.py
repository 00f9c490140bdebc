"""sin and cos of float32 as the GNU C library computes them, in 64-bit integers, so that numpy and
C have the same bits on every machine.

x is a multiple of pi / 2 and a rest from -pi / 4 to pi / 4, of which the library (`sinf`, by Wilco
Dijkstra) computes either function as a polynomial, in double.  From 120 on, x is multiplied by 96
bits of 2 / pi (Payne and Hanek, 1983).  All 2^32 floats were compared with the library, and none
differs.
"""

from __future__ import annotations

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
from tinyml_rules.arithmetic.real_rounded import raised, rounded

_SINE = (0xCCA759BBA6792, 0x2220EC0A4617880, 0x2AAAA8B32B4C0600)
"""Coefficients of x^7, x^5 and x^3, with 64 bits after the point; the signs alternate."""
_COSINE = (0x199343027BF8C, 0x5B021FA268D674, 0xAAAA9F083478C80, 0x7FFFFFF431887000)
"""Of x^8, x^6, x^4 and x^2."""
_HALF_PI = np.uint64(0xC90FDAA22168C000)
"""pi / 2 with 63 bits after the point."""
_TWO_OVER_PI: Final = 0x145F306DC9C883
"""With 53 bits after the point."""
_BYTES = bytes(3) + bytes.fromhex("a2f9836e4e441529fc2757d1f534ddc0db6295993c439041")
"""The same: three of 0, then those after the point."""
_WORDS = np.array(
    [int.from_bytes(_BYTES[i : i + 4], "big") for i in range(len(_BYTES) - 3)], np.uint64
)
_INFINITY, _NOT_A_NUMBER, _ONE = 0x7F800000, 0xFFC00000, 0x3F800000
_TINY, _NEAR, _FAR = 0x39800000, 0x3F400000, 0x42F00000
"""Sizes as bits: 2^-12; 3/4, from which on x is reduced; 120."""
_CENTRE = np.uint64(728)
"""Subtracted from the 64 bits of a result, so that one that is as good as halfway between two
floats is rounded as the library's is."""
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)

Rest = tuple[Uint64Array, npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""(the rest in two's complement, the bits after its point, the multiple of pi / 2)."""


def real_sin(values: Float32Array) -> Float32Array:
    """sin of each."""
    return _of(values, 0)


def real_cos(values: Float32Array) -> Float32Array:
    """cos of each."""
    return _of(values, 1)


def _of(values: Float32Array, quarters: int) -> Float32Array:
    """sin(x + quarters * pi / 2)."""
    bits = bits_of(values)
    size, is_negative = size_and_sign(bits)
    with np.errstate(all="ignore"):
        found = _inside(size, is_negative, quarters)
    found = np.where(size < _TINY, np.uint32(_ONE) if quarters else bits, found)
    found = np.where(size == _INFINITY, np.uint32(_NOT_A_NUMBER), found)
    return np.where(size > _INFINITY, bits, found).astype(np.uint32).view(np.float32)


def _inside(size: Uint32Array, is_negative: npt.NDArray[np.bool_], quarters: int) -> Uint32Array:
    """The bits from 2^-12 on."""
    digits = ((size & np.uint32(0x7FFFFF)) | np.uint32(0x800000)).astype(np.uint64)
    power = (size >> np.uint32(23)).astype(np.int64)
    near = digits << (np.clip(power, 86, 126) - 87).clip(0).astype(np.uint64), 63 + 0 * power
    middle, far = _middle(digits, power, is_negative), _far(digits, power)
    is_near, is_far = size < _NEAR, size >= _FAR
    rest = np.where(is_near, near[0], np.where(is_far, far[0], middle[0]))
    after_point = np.where(is_far, far[1], near[1])
    whole = np.where(is_near, 0, np.where(is_far, far[2], middle[2])) + quarters
    is_below = rest >> np.uint64(63) != 0
    rest = np.where(is_below, np.uint64(0) - rest, rest)
    rest, exponent = raised(rest, 64 - after_point)
    turned, of_turned = raised(high_product(_in_double(rest), _HALF_PI), exponent + 1)
    rest = np.where(is_far, _in_double(turned), rest)
    exponent = np.where(is_far, of_turned, exponent)
    small = np.where(exponent > -64, rest >> (-exponent).clip(0, 63).astype(np.uint64), 0)
    square = high_product(small, small)
    sine = rest - high_product(rest, high_product(square, _polynomial(square, _SINE)))
    sine, of_sine = raised(sine, exponent)
    cosine = ~high_product(square, _polynomial(square, _COSINE))
    is_minus = (is_negative & (quarters == 0)) ^ (whole & 2 != 0)
    return np.where(
        whole & 1 != 0,
        rounded(cosine - _CENTRE, 0 * exponent, is_minus),
        rounded(sine - _CENTRE, of_sine, is_minus ^ is_below),
    ).astype(np.uint32)


def _in_double(size: Uint64Array) -> Uint64Array:
    """To 53 digits, from the highest bit on."""
    half = np.uint64(0x3FF) + (size >> np.uint64(11) & np.uint64(1))
    return (size + half) & ~np.uint64(0x7FF)


def _polynomial(square: Uint64Array, coefficients: tuple[int, ...]) -> Uint64Array:
    """The last coefficient minus the square times what is before it."""
    total = np.full_like(square, coefficients[0])
    for each in coefficients[1:]:
        total = np.uint64(each) - high_product(square, total)
    return total


def _middle(
    digits: Uint64Array, power: npt.NDArray[np.int64], is_negative: npt.NDArray[np.bool_]
) -> Rest:
    """Below 120: x minus a whole multiple of pi / 2, exactly."""
    times = digits * np.uint64(_TWO_OVER_PI >> 32)
    times = times + (digits * np.uint64(_TWO_OVER_PI & 0xFFFFFFFF) >> _HALF)
    turns = times >> (147 - power).clip(0, 63).astype(np.uint64)
    whole = (turns + np.uint64(0x800000) - is_negative.astype(np.uint64)) >> np.uint64(24)
    rest = (digits << (power - 87).clip(0, 63).astype(np.uint64)) - whole * _HALF_PI
    return rest, 63 + 0 * power, whole.astype(np.int64)


def _far(digits: Uint64Array, power: npt.NDArray[np.int64]) -> Rest:
    """From 120 on: in multiples of pi / 2, those of 2 pi left out."""
    first = (power // 8 - 16).clip(0, len(_WORDS) - 9)
    moved = digits << (power & 7).astype(np.uint64)
    high, middle, low = (moved * _WORDS[first + more] for more in (0, 4, 8))
    turns = ((high & _LOW) << _HALF | low >> _HALF) + middle
    whole = (turns + np.uint64(1 << 61)) >> np.uint64(62)
    return turns - (whole << np.uint64(62)), 62 + 0 * power, whole.astype(np.int64)
