"""The arithmetic of decisions equals exact rational numbers, or is as near as it says."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinyml_rules.arithmetic.exact_scale import LEAST, MOST, ExactScale
from tinyml_rules.arithmetic.fixed_point import INT32_MAX, INT32_MIN
from tinyml_rules.arithmetic.squared_difference import most_fraction_bits, squared_difference
from tinyml_rules.sensor.output import MOST_FRACTION_BITS
from tinyml_rules.surroundings.decide.arithmetic import at_most, fixed_point, least_reaching

INT64 = 2**63


@st.composite
def scales(draw: st.DrawFn) -> ExactScale:
    """Every float32 from 1e-6 to 1e3, and every zero point."""
    scale = draw(st.floats(2.0**-20, 2.0**10, width=32))
    return ExactScale(Fraction(scale), draw(st.integers(LEAST, MOST)))


@given(scales(), st.fractions(-2000, 2000, max_denominator=10**6))
def test_least_reaching(scale: ExactScale, threshold: Fraction) -> None:
    """It reaches the threshold, and the one below does not."""
    least = least_reaching(scale, threshold)
    assert scale.real(least) >= threshold > scale.real(least - 1)


@given(scales(), st.none() | st.integers(0, MOST_FRACTION_BITS))
def test_fixed_point(scale: ExactScale, fraction_bits: int | None) -> None:
    """All 256 values in int32, one of them as far from the real number as `error` says; nearer than
    half a step but for a few bits of the multiplier."""
    found = fixed_point(scale, fraction_bits)
    if found is None:
        assert max(map(abs, scale.reach)) * 2 ** (fraction_bits or 0) > INT32_MAX // 2
        return
    errors = []
    for q in range(LEAST, MOST + 1):
        product = (q - scale.zero_point) * found.multiplier
        assert INT32_MIN <= product + (1 << found.shift >> 1) <= INT32_MAX
        number = found.of(q)
        errors.append(abs(Fraction(number, 2**found.fraction_bits) - scale.real(q)))
    assert max(errors) == found.error
    nearest = Fraction(1, 2 ** (found.fraction_bits + 1))
    assert found.error <= nearest + Fraction(256, 2 ** (found.fraction_bits + found.shift + 1))


@settings(max_examples=200)
@given(
    one=scales(),
    other=scales(),
    count=st.integers(1, 40_000),
    seed=st.integers(0, 2**32),
    fewer=st.integers(0, 30),
)
def test_squared_difference(
    one: ExactScale, other: ExactScale, count: int, seed: int, fewer: int
) -> None:
    """Of random elements, and of those that make the largest sums: int64 is never left, and the
    result is not further from the mean than `error`."""
    most = most_fraction_bits(one, other)
    if most is None:
        assert one.scale > 40 or other.scale > 40
        return
    made = squared_difference(one, other, count, max(0, most - fewer))
    generator = np.random.default_rng(seed)
    ends = generator.choice([LEAST, MOST], 2)
    elements = (
        generator.integers(LEAST, MOST + 1, (2, count)),
        np.repeat(ends[:, None], count, axis=1),
        np.repeat(generator.integers(LEAST, MOST + 1, (1, count)), 2, axis=0),
    )
    for pair in elements:
        a, b = (
            row.astype(np.int64) - scale.zero_point
            for row, scale in zip(pair, (one, other), strict=True)
        )
        sums = int(a @ a), int(a @ b), int(b @ b)
        parts = [each * m for each, m in zip(sums, made.multipliers, strict=True)]
        for total in (parts[0] - parts[1], parts[0] - parts[1] + parts[2] + 2**made.shift // 2):
            assert -INT64 <= total < INT64
        assert max(made.multipliers) <= INT32_MAX
        score = made.of(*sums)
        products = (one.scale**2, -2 * one.scale * other.scale, other.scale**2)
        terms = [s * p for s, p in zip(sums, products, strict=True)]
        mean = sum(terms, Fraction(0)) / count
        assert score <= INT32_MAX
        assert abs(Fraction(score, 2**made.fraction_bits) - mean) <= made.error


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(1, 3), "0.334"),
        (Fraction(1, 2**30), "9.32e-10"),
        (Fraction(123456), "1.24e+5"),
    ],
)
def test_bounds_are_rounded_up(value: Fraction, text: str) -> None:
    assert at_most(value) == text
