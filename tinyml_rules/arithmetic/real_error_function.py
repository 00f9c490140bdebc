"""erfc of float32 by the steps of Sun's fdlibm (1993), which the GNU C library up to 2.40 and
newlib share: sums, products and quotients of float32, and exp, so that numpy and C have the same
bits on every machine.
"""

from __future__ import annotations

import numpy as np

from tinyml_rules.arithmetic.float32_bits import Float32Array, bits_of, size_and_sign
from tinyml_rules.arithmetic.real_exponential import real_exp

_f = np.float32
_HALF, _ONE, _TWO, _QUARTER = _f(0.5), _f(1), _f(2), _f(0.25)
_ERF_OF_ONE, _NINE_SIXTEENTHS = _f(8.4506291151e-01), _f(0.5625)

Polynomial = tuple[float, ...]
"""Coefficients, the constant first."""
_NEAR: tuple[Polynomial, Polynomial] = (
    (1.2837916613e-01, -3.2504209876e-01, -2.8481749818e-02, -5.7702702470e-03, -2.3763017452e-05),
    (1, 3.9791721106e-01, 6.5022252500e-02, 5.0813062117e-03, 1.3249473704e-04, -3.9602282413e-06),
)
"""Numerator and denominator below 27/32, of the square."""
_MIDDLE: tuple[Polynomial, Polynomial] = (
    (
        *(-2.3621185683e-03, 4.1485610604e-01, -3.7220788002e-01, 3.1834661961e-01),
        *(-1.1089469492e-01, 3.5478305072e-02, -2.1663755178e-03),
    ),
    (
        *(1, 1.0642088205e-01, 5.4039794207e-01, 7.1828655899e-02),
        *(1.2617121637e-01, 1.3637083583e-02, 1.1984500103e-02),
    ),
)
"""Below 1.25, of the distance from 1."""
_FAR: tuple[Polynomial, Polynomial] = (
    (
        *(-9.8649440333e-03, -6.9385856390e-01, -1.0558626175e01, -6.2375331879e01),
        *(-1.6239666748e02, -1.8460508728e02, -8.1287437439e01, -9.8143291473e00),
    ),
    (
        *(1, 1.9651271820e01, 1.3765776062e02, 4.3456588745e02, 6.4538726807e02),
        *(4.2900814819e02, 1.0863500214e02, 6.5702495575e00, -6.0424413532e-02),
    ),
)
"""Below 20/7, of the inverse of the square."""
_FARTHEST: tuple[Polynomial, Polynomial] = (
    (
        *(-9.8649431020e-03, -7.9928326607e-01, -1.7757955551e01, -1.6063638306e02),
        *(-6.3756646729e02, -1.0250950928e03, -4.8351919556e02),
    ),
    (
        *(1, 3.0338060379e01, 3.2579251099e02, 1.5367296143e03, 3.1998581543e03),
        *(2.5530502930e03, 4.7452853394e02, -2.2440952301e01),
    ),
)
_TINY, _NEAR_SIZE, _MIDDLE_SIZE, _FAR_SIZE = 0x32800000, 0x3F580000, 0x3FA00000, 0x4036DB6D
_MOST, _LEAST = 0x41E00000, 0x40C00000
"""Sizes as bits: 28, from which on the result is 0; 6, from which on it is 2 below 0."""
_CUT = np.uint32(0xFFFFE000)


def real_erfc(values: Float32Array) -> Float32Array:
    """1 - erf of each; NaN stays NaN."""
    x = np.asarray(values, np.float32)
    bits = bits_of(x)
    size, is_negative = size_and_sign(bits)
    with np.errstate(all="ignore"):
        found = _in_tail(size.view(np.float32), size, is_negative)
        found = np.where(size < _MIDDLE_SIZE, _in_middle(np.abs(x), is_negative), found)
        found = np.where(size < _NEAR_SIZE, _near_zero(x), found)
        found = np.where(size < _TINY, _ONE - x, found)
    is_last = size >= np.where(is_negative, _LEAST, _MOST)
    found = np.where(is_last, np.where(is_negative, _TWO, _f(0)), found)
    return np.where(np.isnan(x), x, found).astype(np.float32)


def _quotient(polynomials: tuple[Polynomial, Polynomial], x: Float32Array) -> Float32Array:
    """Each from its last coefficient on."""
    above, below = (np.full_like(x, each[-1]) for each in polynomials)
    for coefficient in polynomials[0][-2::-1]:
        above = _f(coefficient) + x * above
    for coefficient in polynomials[1][-2::-1]:
        below = _f(coefficient) + x * below
    return above / below


def _near_zero(x: Float32Array) -> Float32Array:
    more = x * _quotient(_NEAR, x * x)
    return np.where(x < _QUARTER, _ONE - (x + more), _HALF - (more + (x - _HALF)))


def _in_middle(far: Float32Array, is_negative: np.typing.NDArray[np.bool_]) -> Float32Array:
    change = _quotient(_MIDDLE, far - _ONE)
    below = _ONE + (_ERF_OF_ONE + change)
    return np.where(is_negative, below, (_ONE - _ERF_OF_ONE) - change)


def _in_tail(
    far: Float32Array,
    size: np.typing.NDArray[np.uint32],
    is_negative: np.typing.NDArray[np.bool_],
) -> Float32Array:
    inverse = _ONE / (far * far)
    ratio = np.where(size < _FAR_SIZE, _quotient(_FAR, inverse), _quotient(_FARTHEST, inverse))
    cut = (size & _CUT).view(np.float32)
    first = real_exp(-cut * cut - _NINE_SIXTEENTHS)
    change = first * real_exp((cut - far) * (cut + far) + ratio) / far
    return np.where(is_negative, _TWO - change, change)
