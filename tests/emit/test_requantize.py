"""requantize() in C equals numpy, in each of its forms: ties, extremes and random numbers.

So does requantize_four(), on targets whose kernels call it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tests.support.combined import SANITIZED, target_or_skip, targets_of_each_kind
from tests.support.pieces import build_around_pieces
from tinyml_rules.arithmetic.fixed_point import INT32_MAX, INT32_MIN, requantize
from tinyml_rules.runners import run_image
from tinyml_rules.target.target import Target

MAIN = Path(__file__).with_name("requantize_main.c.j2")
RANDOM_RECORDS = 100_000
EMULATED_STEP = 17
ANY_SHIFTS = (-31, 20)
USUAL_SHIFTS = (-16, -1)
"""The least and the greatest shift of a model, from which the C text may leave cases out."""

Int64Array = npt.NDArray[np.int64]


def extreme_records() -> Int64Array:
    """(acc, multiplier, shift): ends, small numbers and powers of two, all combined.

    With the multiplier 2^30 every odd acc ties in the multiplication, and of the rest every other
    one in a right shift by one.
    """
    powers = [
        sign * (2**bit + more) for bit in range(31) for sign in (1, -1) for more in (-1, 0, 1)
    ]
    accs = sorted({0, INT32_MIN, INT32_MAX, *range(-40, 41), *powers})
    multipliers = [0, 2**30, 2**30 + 1, 3 * 2**29, 2**31 - 1]
    shifts = [0, *range(-31, -12), *range(-6, 0), *range(1, 20)]
    grid = np.meshgrid(accs, multipliers, shifts)
    return np.stack([axis.reshape(-1) for axis in grid], axis=1)


def random_records() -> Int64Array:
    """The same at random, the accs over all magnitudes."""
    generator = np.random.default_rng(3)
    bits = generator.integers(1, 32, RANDOM_RECORDS)
    accs = generator.integers(INT32_MIN, INT32_MAX + 1, RANDOM_RECORDS) >> (32 - bits)
    multipliers = generator.integers(2**30, 2**31, RANDOM_RECORDS)
    return np.stack([accs, multipliers, generator.integers(-31, 21, RANDOM_RECORDS)], axis=1)


def records() -> Int64Array:
    """Those whose left shift and whose sum with the zero point stay within int32.

    Outside, TFLM's own C++ is undefined.
    """
    both = np.concatenate([extreme_records(), random_records()])
    accs, multipliers, shifts = both.T
    product = np.abs(accs.astype(float)) * 2.0 ** np.maximum(shifts, 0)
    result = product * multipliers / 2.0**31
    return np.asarray(both[(product < 2**31) & (result < 2**31 - 256)], np.int64)


def takes_four(target: Target) -> bool:
    """Whether its kernels requantize four sums at once."""
    return "registers_32" in target.features


@pytest.mark.parametrize("shifts", [ANY_SHIFTS, USUAL_SHIFTS])
@pytest.mark.parametrize(
    ("target_name", "features", "step"),
    [
        (SANITIZED, (), 1),
        (SANITIZED, ("multiply_64", "registers_32"), 1),
        *((name, None, EMULATED_STEP) for name in targets_of_each_kind() if name != "host"),
    ],
)
def test_requantize(
    target_name: str,
    features: tuple[str, ...] | None,
    step: int,
    shifts: tuple[int, int],
    tmp_path: Path,
) -> None:
    """Every record, or every `step`-th, with several zero points and clamps; on the host in the
    form for these features and without undefined behaviour, elsewhere in the target's own."""
    target = target_or_skip(target_name)
    if features is not None:
        target = replace(target, features=frozenset(features))
    four = takes_four(target)
    pieces = ("requantize", "requantize_four") if four else ("requantize",)
    image = build_around_pieces(
        target, tmp_path, main=MAIN, pieces=pieces, four=four, shifts=shifts
    )
    core = records()[::step]
    core = core[(core[:, 2] >= shifts[0]) & (core[:, 2] <= shifts[1])]
    for zero_point, clamp_min, clamp_max in ((0, -128, 127), (-128, -128, 127), (127, -5, 100)):
        tail = np.broadcast_to([zero_point, clamp_min, clamp_max], (len(core), 3))
        data = np.concatenate([core, tail], axis=1).astype("<i4").tobytes()
        result = run_image(target, image, data, invoke_symbol="apply")
        expected = requantize(
            core[:, 0],
            core[:, 1],
            core[:, 2],
            zero_point=zero_point,
            clamp_min=clamp_min,
            clamp_max=clamp_max,
        )
        times = 5 if four else 1
        output = np.frombuffer(result.output, np.int8)
        np.testing.assert_array_equal(output, np.repeat(expected, times))
