"""What makes int16 of sums, in C: ties, extremes, and the highest 16 bits of every multiplier."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tests.support.combined import SANITIZED, target_or_skip
from tests.support.pieces import build_around_pieces
from tinyml_rules.arithmetic.fixed_point import INT32_MAX, multiply_by_16_bits, of_16_bits
from tinyml_rules.ir.rounding import Rounding
from tinyml_rules.runners import run_image

MAIN = Path(__file__).with_name("requantize_int16_main.c.j2")
MOST_SUM = 2**47 - 1
"""In size, of 64 bits; its product with 2^15 - 1 is the last that int64 holds."""
EMULATED_STEP = 41
MULTIPLIERS = (0x40000000, 0x40007FFF, 0x40008000, 0x5A827999, 0x7FFEFFFF, 0x7FFF0000, 0x7FFFFFFF)
"""Below and from 0x7FFF0000 on, of which the highest bits would be 2^15."""
CLAMPS = ((-32768, 32767), (0, 32767), (-5, 1000))

Int64Array = npt.NDArray[np.int64]


def sums(most: int) -> Int64Array:
    """Ends, powers of two and their neighbours, small numbers, and any of every size."""
    powers = [2**bit + more for bit in range(most.bit_length()) for more in (-1, 0, 1)]
    generator = np.random.default_rng(5)
    drawn = generator.integers(-most, most, 400) >> generator.integers(0, most.bit_length(), 400)
    found = np.concatenate([np.array(powers), np.arange(-40, 41), drawn])
    return np.unique(np.clip(np.concatenate([found, -found, [-most - 1]]), -most - 1, most))


def records(most: int) -> Int64Array:
    """(acc, multiplier of 16 bits, shift): every combination, and a tie of each multiplier."""
    short = np.unique(of_16_bits(np.array(MULTIPLIERS, np.int64)))
    shifts = [*range(-31, 8)]
    grid = np.stack(np.meshgrid(sums(most), short, shifts), axis=-1).reshape(-1, 3)
    # an odd multiplier times this has the bit below the last alone
    ties = [
        (sign * (2 * times + 1) * 2 ** (14 - shift), multiplier, shift)
        for multiplier in short.tolist()
        for shift in shifts
        for times in (0, 1, 2)
        for sign in (1, -1)
    ]
    tied = np.array(ties, np.int64)
    return np.concatenate([grid, tied[np.abs(tied[:, 0]) <= most]])


def test_highest_bits() -> None:
    """Rounded, but never 2^15; TFLM's `MultiplyByQuantizedMultiplier` of int64."""
    found = of_16_bits(np.array(MULTIPLIERS, np.int64)).tolist()
    assert found == [0x4000, 0x4000, 0x4001, 0x5A82, 0x7FFF, 0x7FFF, 0x7FFF]


def test_ties_go_up() -> None:
    """A half above 0 and a half below it."""
    halves = multiply_by_16_bits(np.array([3, 1, -1, -3]), 2**14, 0)
    assert halves.tolist() == [2, 1, 0, -1]


@pytest.mark.parametrize("rounding", [Rounding.INT16_ONCE, Rounding.INT16_WIDE])
@pytest.mark.parametrize("target_name", [SANITIZED, "atmega1284p", "nrf51", "nrf52840"])
def test_requantize(target_name: str, rounding: Rounding, tmp_path: Path) -> None:
    """Sums of 32 and of 64 bits: the result wraps to int32, and then is clamped."""
    is_wide = rounding is Rounding.INT16_WIDE
    target = target_or_skip(target_name)
    image = build_around_pieces(
        target,
        tmp_path,
        main=MAIN,
        pieces=[f"requantize{rounding.value}"],
        rounding=rounding,
        acc="int64_t" if is_wide else "int32_t",
        outlined="",
    )
    found = records(MOST_SUM if is_wide else INT32_MAX)[
        :: 1 if target_name == SANITIZED else EMULATED_STEP
    ]
    acc, multiplier, shift = found.T
    scaled = multiply_by_16_bits(acc, multiplier, shift)
    for low, high in CLAMPS:
        data = np.empty(len(found), "<i8,<i4,<i4,<i4,<i4")
        for name, values in zip(data.dtype.names or (), (*found.T, low, high), strict=True):
            data[name] = values
        output = run_image(target, image, data.tobytes(), invoke_symbol="apply").output
        np.testing.assert_array_equal(np.frombuffer(output, "<i2"), np.clip(scaled, low, high))
