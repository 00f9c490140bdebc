"""Multipliers of fewer bits give what TFLM's give, for every sum of a channel."""

from __future__ import annotations

import numpy as np
import pytest

from tinyml_rules.arithmetic.fixed_point import requantize
from tinyml_rules.arithmetic.short_multiplier import first_sums, short_multipliers

CHANNELS = 12
LOW_BITS = 5


def _channels(right: int, *, low_bits: int = 0) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Random multipliers for a shift, with so many bits of 0, and those that make most ties."""
    drawn = np.random.default_rng(right).integers(2**30, 2**31, CHANNELS)
    return np.concatenate([drawn >> low_bits << low_bits, [2**30, 3 * 2**29]])


@pytest.mark.parametrize("right", range(1, 11))
def test_every_sum(right: int) -> None:
    """All sums to beyond the greatest int8, for each channel that has such a multiplier."""
    sums = np.arange(2 ** (right + 9) + 9)
    found = 0
    for multiplier in _channels(right):
        short = short_multipliers(
            np.array([multiplier]), np.array([right]), most=255, low_bits=LOW_BITS
        )
        if short is None:
            continue
        found += 1
        assert short[0] % 2**LOW_BITS == 0
        first, second = (
            requantize(sums, each, -right, zero_point=-128, clamp_min=-128, clamp_max=127)
            for each in (int(multiplier), int(short[0]))
        )
        np.testing.assert_array_equal(first, second)
    assert found > CHANNELS // 2


@pytest.mark.parametrize("right", range(1, 20))
def test_first_sums(right: int) -> None:
    """Of values above and below zero: that sum gives the value, and the one before it does not."""
    values, multipliers = np.arange(-128, 128), _channels(right)
    first = first_sums(multipliers, np.full(len(multipliers), right), values)
    for multiplier, sums in zip(multipliers, first, strict=True):
        for step, expected in ((0, values), (-1, values - 1)):
            rescaled = requantize(
                sums + step, int(multiplier), -right, zero_point=0, clamp_min=-128, clamp_max=127
            )
            is_reached = rescaled >= values if step == 0 else rescaled < values
            assert (is_reached | (expected < -128)).all()


def test_no_short_multiplier() -> None:
    """One bit is too few for steps that are apart by an odd number of sums."""
    found = short_multipliers(np.array([3 * 2**29 + 12345]), np.array([8]), most=255, low_bits=29)
    assert found is None
