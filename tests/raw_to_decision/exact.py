"""What `[input]` of a description means, in fractions: written from docs/how-to/sensors.md, with no
arithmetic of the compiler's or of numpy's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import isqrt

FLOAT32, FLOAT64 = (24, -149, 128), (53, -1074, 1024)
"""Digits, exponent of the least number, exponent that is too large."""
_INFINITE = Fraction(10) ** 200
"""Stays too large for float32 whatever a description divides it by."""
_HALF = Fraction(1, 2)
_ROOT_DIGITS = 64


def nearest(value: Fraction, kind: tuple[int, int, int] = FLOAT32) -> Fraction:
    """The number of a binary format that is nearest, of two the even one."""
    if not value:
        return value
    digits, least, too_large = kind
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if size < _power(exponent):
        exponent -= 1
    unit = _power(max(exponent - digits + 1, least))
    whole, rest = divmod(size / unit, 1)
    if rest > _HALF or (rest == _HALF and whole % 2):
        whole += 1
    found = whole * unit
    if found >= _power(too_large):
        found = _INFINITE
    return found if value > 0 else -found


def _power(exponent: int) -> Fraction:
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


@cache
def float32_of(decimal: str) -> Fraction:
    """A decimal as Python and numpy take it: a double, then a float32."""
    return nearest(nearest(Fraction(decimal), FLOAT64))


@cache
def root(value: Fraction) -> Fraction:
    """The square root, rounded to float32 once: with more digits, of which the last says that it
    is not exact."""
    shift = _ROOT_DIGITS + max(0, value.denominator.bit_length() - value.numerator.bit_length())
    scaled = value * _power(2 * shift)
    whole = isqrt(scaled.numerator // scaled.denominator)
    is_exact = whole * whole == scaled
    return nearest((whole if is_exact else whole + _HALF) / _power(shift))


def half_away(value: Fraction) -> int:
    """Rounded, ties away from zero."""
    size = (abs(value) + _HALF).__floor__()
    return size if value >= 0 else -size


@dataclass(frozen=True)
class Numbers:
    """Those of one channel, as the file has them."""

    scale: str = "1"
    offset: str = "0"
    mean: str = "0"
    deviation: str = "1"


@dataclass(frozen=True)
class Quantization:
    """Of a tensor: its float32 scale, zero point, and the limits of its type."""

    scale: float
    zero_point: int
    limits: tuple[int, int]

    def clamp(self, value: int) -> int:
        """Within the limits."""
        return min(max(value, self.limits[0]), self.limits[1])

    def real(self, q: int) -> Fraction:
        """What a quantized value stands for."""
        return Fraction(self.scale) * (q - self.zero_point)


@dataclass(frozen=True)
class Meaning:
    """q = clamp(round((((raw * scale + offset) - mean) / std) / S) + Z) of one channel."""

    numbers: Numbers
    is_variance: bool
    is_exact: bool
    tensor: Quantization

    def quantized(self, raw: int) -> int:
        """The value of a raw one."""
        rounded = self._exact(raw) if self.is_exact else half_away(self._float32(raw))
        return self.tensor.clamp(rounded + self.tensor.zero_point)

    def _float32(self, raw: int) -> Fraction:
        """Each operation rounded, in the order of the formula."""
        scale, offset, mean, deviation = map(float32_of, vars(self.numbers).values())
        std = root(deviation) if self.is_variance else deviation
        real = nearest(nearest(Fraction(raw)) * scale)
        real = nearest(nearest(real + offset) - mean)
        return nearest(nearest(real / std) / Fraction(self.tensor.scale))

    def _exact(self, raw: int) -> int:
        """In real numbers.  Where the deviation is a root, the greatest m is found for which
        m - 1/2 is not above the quotient, by comparing squares."""
        scale, offset, mean, deviation = map(Fraction, vars(self.numbers).values())
        real = (raw * scale + offset - mean) / Fraction(self.tensor.scale)
        if not self.is_variance:
            return half_away(real / deviation)
        square, low, high = real * real, 0, 1
        while (high - _HALF) ** 2 * deviation <= square:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (
                (middle, high) if (middle - _HALF) ** 2 * deviation <= square else (low, middle)
            )
        return low if real >= 0 else -low

    def edges(self, low: int, high: int) -> Iterator[int]:
        """Two neighbours between which the value changes, where it does between these."""
        first = self.quantized(low)
        if first == self.quantized(high):
            return
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.quantized(middle) == first else (low, middle)
        yield from (low, high)


def interesting(meaning: Meaning, raws: Sequence[int]) -> list[int]:
    """Raw values, rising, with some of the places where the quantized value changes."""
    found = set(raws)
    for low, high in pairwise(raws):
        found.update(meaning.edges(low, high))
    return sorted(found)
