"""requantize() in C equals numpy, in each of its forms: ties, steps, extremes, random numbers.

So does requantize_four(), on targets whose kernels call it, and so do both for bounded sums.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tests.support.combined import (
    SANITIZED,
    target_or_skip,
    targets_of_each_kind,
    targets_of_own_pieces,
)
from tests.support.pieces import build_around_pieces
from tinyml_rules.arithmetic.fixed_point import INT32_MAX, INT32_MIN, requantize
from tinyml_rules.cores import finish_of
from tinyml_rules.cores.finish import Finish
from tinyml_rules.firmware.image import Image
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.rounding import Rounding
from tinyml_rules.runners import run_image
from tinyml_rules.target.target import Target

MAIN = Path(__file__).with_name("requantize_main.c.j2")
RANDOM_RECORDS = 75_000
FACTORS = 50
"""Multipliers with a shift whose steps from one result to the next are tried, each."""
EMULATED_STEP = 17
MOST_CYCLES = 100
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


def step_records() -> Int64Array:
    """The same where the result steps from one integer of int8 to the next, and one before."""
    generator = np.random.default_rng(5)
    multipliers = generator.integers(2**30, 2**31, FACTORS)[:, None]
    shifts = -(np.arange(FACTORS) % 17)[:, None]
    halves = np.arange(-257, 257, 2)
    accs = np.rint(halves * 2.0 ** (30 - shifts) / multipliers).astype(np.int64)
    found = [np.broadcast_arrays(accs + more, multipliers, shifts) for more in (-1, 0)]
    return np.concatenate([np.stack([a.reshape(-1) for a in each], axis=1) for each in found])


def records() -> Int64Array:
    """Those whose left shift and whose sum with the zero point stay within int32.

    Outside, TFLM's own C++ is undefined.
    """
    both = np.concatenate([extreme_records(), random_records(), step_records()])
    accs, multipliers, shifts = both.T
    product = np.abs(accs.astype(float)) * 2.0 ** np.maximum(shifts, 0)
    result = product * multipliers / 2.0**31
    return np.asarray(both[(product < 2**31) & (result < 2**31 - 256)], np.int64)


def takes_four(target: Target) -> bool:
    """Whether its kernels requantize four sums at once."""
    return Feature.REGISTERS_32 in target.features


@pytest.mark.parametrize("shifts", [ANY_SHIFTS, USUAL_SHIFTS])
@pytest.mark.parametrize(
    ("target_name", "features", "step"),
    [
        (SANITIZED, (), 1),
        (SANITIZED, (Feature.MULTIPLY_64, Feature.REGISTERS_32), 1),
        *((name, None, EMULATED_STEP) for name in targets_of_each_kind() if name != "host"),
    ],
)
def test_requantize(
    target_name: str,
    features: tuple[Feature, ...] | None,
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
        target,
        tmp_path,
        main=MAIN,
        pieces=pieces,
        four=four,
        shifts=shifts,
        rounding=Rounding.TWICE,
    )
    core = records()[::step]
    core = core[(core[:, 2] >= shifts[0]) & (core[:, 2] <= shifts[1])]
    for clamps in ((0, -128, 127), (-128, -128, 127), (127, -5, 100)):
        _compare(target, image, core, core[:, 1:], clamps, times=5 if four else 1)


def _compare(
    target: Target,
    image: Image,
    core: Int64Array,
    tables: Int64Array,
    clamps: tuple[int, int, int],
    *,
    times: int,
) -> tuple[int, ...]:
    """What comes out for the records, whose multipliers and shifts are told by the `tables`, with a
    zero point and clamps, each so many `times`; gives what the calls count."""
    tail = np.broadcast_to(clamps, (len(core), 3))
    data = np.concatenate([core[:, :1], tables, tail], axis=1).astype("<i4").tobytes()
    result = run_image(target, image, data, invoke_symbol="apply")
    zero_point, clamp_min, clamp_max = clamps
    expected = requantize(
        core[:, 0],
        core[:, 1],
        core[:, 2],
        zero_point=zero_point,
        clamp_min=clamp_min,
        clamp_max=clamp_max,
    )
    output = np.frombuffer(result.output, np.int8)
    np.testing.assert_array_equal(output, np.repeat(expected, times))
    return result.counts


def bounded_records(finish: Finish, rounding: Rounding, *, is_limited: bool) -> Int64Array:
    """Records that a form for bounded sums takes, up to its bounds; `is_limited`: sums beyond them,
    with shifts for which that is right."""
    bounds, both = finish.bounds_of(rounding), records()
    near = np.array([2**bounds.bits - 1, 2**bounds.bits - 2, 2 ** (bounds.bits - 1)])
    accs = np.concatenate([near, -near, [0, 1, -1]])
    grid = np.meshgrid(accs, [2**30, 3 * 2**29, 2**31 - 1], [-right for right in bounds.shifts])
    both = np.concatenate([both, np.stack([axis.reshape(-1) for axis in grid], axis=1)])
    if rounding in SHIFTS:
        both[:, 1] = 2**30
    accs, multipliers, right = both[:, 0], both[:, 1], -both[:, 2]
    is_taken = (multipliers >= 2**30) & (right >= bounds.shifts[0]) & (right <= bounds.shifts[-1])
    is_small = np.abs(accs) < 2**bounds.bits
    if is_limited:
        is_taken &= is_small | (right <= bounds.saturating_shift)
    else:
        is_taken &= is_small
    return np.asarray(both[is_taken], np.int64)


SHIFTS = (Rounding.SHIFT, Rounding.SHIFT_UPWARDS)
BOUNDED = [
    *((name, None) for name in (*targets_of_each_kind(), *targets_of_own_pieces())),
    (SANITIZED, (Feature.REGISTERS_32,)),
    (SANITIZED, (Feature.MULTIPLY_64, Feature.REGISTERS_32)),
]


CLAMPS = {
    (False, False): [(-128, -128, 127)],
    (False, True): [(-128, -128, 127), (-100, -100, 90)],
    (True, False): [(-128, -128, 127), (0, -128, 127), (9, -128, 127)],
    (True, True): [(-128, -128, 127), (-100, -100, 90), (127, -5, 100), (0, -128, 50)],
}
"""Zero point and clamps, by whether values below the zero point count and whether clamps act."""


@pytest.mark.parametrize("is_clamped", [False, True])
def test_cycles_of_a_shift(is_clamped: bool, tmp_path: Path) -> None:
    """On AVR a sum whose multiplier is 2^30 takes at most 100 cycles, its call and the reading of
    its arguments from memory included."""
    target, rounding = target_or_skip("atmega328"), Rounding.SHIFT
    finish = finish_of(target.features)
    assert finish is not None
    image = _bounded_image(target, finish, rounding, tmp_path, is_clamped=is_clamped)
    found = bounded_records(finish, rounding, is_limited=is_clamped)[::EMULATED_STEP]
    for clamps in CLAMPS[True, is_clamped]:
        _, shift = finish.tables(rounding, found[:, 1], -found[:, 2])
        tables = np.stack((shift, shift), axis=1, dtype=np.int64)
        counts = _compare(target, image, found, tables, clamps, times=1)
        assert max(counts) <= MOST_CYCLES


@pytest.mark.parametrize("is_clamped", [False, True])
@pytest.mark.parametrize("rounding", [each for each in Rounding if each is not Rounding.TWICE])
@pytest.mark.parametrize(("target_name", "features"), BOUNDED)
def test_bounded(
    target_name: str,
    features: tuple[Feature, ...] | None,
    rounding: Rounding,
    is_clamped: bool,
    tmp_path: Path,
) -> None:
    """The same for sums within the bounds of a target's form, with ties at every shift."""
    target = target_or_skip(target_name)
    if features is not None:
        target = replace(target, features=frozenset(features))
    finish, four = finish_of(target.features), takes_four(target)
    assert finish is not None
    if rounding not in finish.forms:
        return
    is_limited = is_clamped and finish.bounds_of(rounding).saturating_shift > 0
    image = _bounded_image(target, finish, rounding, tmp_path, is_clamped=is_clamped)
    found = bounded_records(finish, rounding, is_limited=is_limited)
    found = found[:: 1 if features is not None else EMULATED_STEP]
    if rounding is Rounding.SHORT:
        found = found[-found[:, 2] <= 10]
        found[:, 1] &= ~0x1F
    multiplier, shift = finish.tables(rounding, found[:, 1], -found[:, 2])
    told = (shift if multiplier is None else multiplier, shift)
    tables = np.stack(told, axis=1, dtype=np.int64)
    for each in CLAMPS[rounding in (Rounding.ONCE, Rounding.SHIFT), is_clamped]:
        _compare(target, image, found, tables, each, times=5 if four else 1)


def _bounded_image(
    target: Target, finish: Finish, rounding: Rounding, folder: Path, *, is_clamped: bool
) -> Image:
    """Around the forms of a processor for bounded sums, of any size where clamps act."""
    bounds, four = finish.bounds_of(rounding), takes_four(target)
    is_limited = is_clamped and bounds.saturating_shift > 0
    return build_around_pieces(
        target,
        folder,
        main=MAIN,
        pieces=[f"requantize{form}{rounding.value}" for form in ("", "_four")[: 1 + four]],
        four=four,
        rounding=rounding,
        outlined="",
        alone=finish.alone,
        shifts_left=finish.shifts_left,
        are_clamped={rounding.value} if is_clamped else set(),
        most_sum={rounding.value: 2**31 - 1 if is_limited else 2**bounds.bits - 1},
    )
