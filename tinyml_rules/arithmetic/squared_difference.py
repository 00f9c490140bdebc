"""The mean squared difference of two int8 tensors of different scales, in integers.

With a and b for q - zero_point of both, the mean over n elements of (A a - B b)^2 is
(A^2 sum(a^2) - 2 A B sum(a b) + B^2 sum(b^2)) / n: three sums of integers, which are exact, and one
rescale of each at the end, in 64 bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from tinyml_rules.arithmetic.exact_scale import ExactScale
from tinyml_rules.arithmetic.fixed_point import INT32_MAX
from tinyml_rules.ir.graph import Tensor

INT64_MAX = 2**63 - 1
MOST_FRACTION_BITS = 30


@dataclass(frozen=True)
class SquaredDifference:
    """max(0, (aa * multipliers[0] - ab * multipliers[1] + bb * multipliers[2] + 2^(shift - 1))
    >> shift), the mean times 2^fraction_bits, of the sums aa, ab and bb.

    `error` is the most by which the result differs from the mean, as a real number, for all
    elements.
    """

    multipliers: tuple[int, int, int]
    shift: int
    fraction_bits: int
    error: Fraction
    most: Fraction
    """The greatest mean."""

    def of(self, aa: int, ab: int, bb: int) -> int:
        """The result for sums."""
        first, second, third = self.multipliers
        total = aa * first - ab * second + bb * third
        return max(0, (total + (1 << self.shift >> 1)) >> self.shift)


def most_difference(one: ExactScale, other: ExactScale) -> Fraction:
    """The greatest squared difference of two values."""
    return max((a - b) ** 2 for a, b in product(one.reach, other.reach))


def most_fraction_bits(one: ExactScale, other: ExactScale) -> int | None:
    """Most fraction bits with which every mean fits in int32; None if not even integers fit."""
    most = most_difference(one, other) + 1  # for the error
    fits = (bits for bits in range(MOST_FRACTION_BITS, -1, -1) if most * 2**bits <= INT32_MAX)
    return next(fits, None)


def squared_difference(
    one: ExactScale, other: ExactScale, count: int, fraction_bits: int
) -> SquaredDifference:
    """The arithmetic for `count` elements, with the largest shift for which the multipliers fit
    int32 and the total int64."""
    factors = (one.scale**2, 2 * one.scale * other.scale, other.scale**2)
    exact = [factor / count * 2**fraction_bits for factor in factors]
    (a, b) = (max(map(abs, each.ends)) for each in (one, other))
    sums = (a * a * count, a * b * count, b * b * count)
    shift = 62
    while True:
        multipliers = [round(each * 2**shift) for each in exact]
        total = sum(s * m for s, m in zip(sums, multipliers, strict=True))
        if max(multipliers) <= INT32_MAX and total + (1 << shift >> 1) <= INT64_MAX:
            break
        shift -= 1
    misses = (abs(m - each * 2**shift) for m, each in zip(multipliers, exact, strict=True))
    missed = sum((s * miss for s, miss in zip(sums, misses, strict=True)), Fraction(0))
    error = (missed / 2**shift + Fraction(1, 2)) / 2**fraction_bits
    first, second, third = multipliers
    return SquaredDifference(
        multipliers=(first, second, third),
        shift=shift,
        fraction_bits=fraction_bits,
        error=error,
        most=most_difference(one, other),
    )


def difference_of(one: Tensor, other: Tensor, result: Tensor) -> SquaredDifference:
    """The arithmetic for two tensors; the scale of the result is 2^-fraction_bits."""
    fraction_bits = Fraction(result.scale).denominator.bit_length() - 1
    return squared_difference(ExactScale.of(one), ExactScale.of(other), one.count, fraction_bits)
