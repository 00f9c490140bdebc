"""The arithmetic of decisions, in exact rational numbers."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

from tinyml_rules.arithmetic.exact_scale import ExactScale
from tinyml_rules.arithmetic.fixed_point import INT32_MAX
from tinyml_rules.sensor.output import MOST_FRACTION_BITS

_DIGITS = Context(prec=3, rounding=ROUND_CEILING)


def least_reaching(scale: ExactScale, threshold: Fraction) -> int:
    """The least q, of all integers, with scale * (q - zero_point) >= threshold."""
    return scale.zero_point - (-threshold // scale.scale)


@dataclass(frozen=True)
class FixedPoint:
    """((q - zero_point) * multiplier + 2^(shift - 1)) >> shift, the real number times
    2^fraction_bits; no rounding with a shift of 0.  `error`: the most by which it differs, as a
    real number, over all 256 values."""

    zero_point: int
    multiplier: int
    shift: int
    fraction_bits: int
    error: Fraction

    def of(self, q: int) -> int:
        """The result for a value."""
        product = (q - self.zero_point) * self.multiplier
        return (product + (1 << self.shift >> 1)) >> self.shift


def fixed_point(scale: ExactScale, fraction_bits: int | None) -> FixedPoint | None:
    """With the multiplier that has most bits; as many fraction bits as int32 has room for where
    None are asked for.  None where not one multiplier fits."""
    if fraction_bits is None:
        fits = (_with_bits(scale, bits) for bits in range(MOST_FRACTION_BITS, -1, -1))
        return next((found for found in fits if found is not None), None)
    return _with_bits(scale, fraction_bits)


def _with_bits(scale: ExactScale, fraction_bits: int) -> FixedPoint | None:
    distance = max(map(abs, scale.ends))
    for shift in range(30, -1, -1):
        multiplier = round(scale.scale * 2 ** (fraction_bits + shift))
        if distance * multiplier + (1 << shift >> 1) <= INT32_MAX:
            break
    else:
        return None
    while shift and multiplier % 2 == 0:
        multiplier, shift = multiplier // 2, shift - 1
    found = FixedPoint(scale.zero_point, multiplier, shift, fraction_bits, Fraction(0))
    least, most = scale.limits
    error = max(
        abs(Fraction(found.of(q), 2**fraction_bits) - scale.real(q)) for q in range(least, most + 1)
    )
    return FixedPoint(scale.zero_point, multiplier, shift, fraction_bits, error)


def at_most(value: Fraction) -> str:
    """A number not below the value, of three digits, as text."""
    number = _DIGITS.divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"{number.normalize(_DIGITS):g}"
