"""Tables that are interpolated: those of SOFTMAX of int16, entry by entry, and the sigmoid's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tinyml_rules.arithmetic.fixed_point import Int64Array
from tinyml_rules.arithmetic.interpolated import (
    SIGMOIDS,
    interpolated,
    interpolated_logistic,
    interpolated_tanh,
    near_power_of_two,
    softmax_tables,
)

RECORDED = Path(__file__).parent / "data" / "softmax_tables.txt"
"""What `LUTPopulate<int16_t>` of TFLM makes with the ranges of its SOFTMAX, built by GCC on x86."""


@pytest.fixture
def recorded() -> tuple[Int64Array, Int64Array]:
    """The table of exp, and that of 1 / (1 + x)."""
    first, second = np.loadtxt(RECORDED, np.int64).reshape(2, 513)
    return first, second


def test_tables_of_softmax(recorded: tuple[Int64Array, Int64Array]) -> None:
    """All 1,026 entries."""
    exponentials, inverses = softmax_tables(in_double=False)
    assert exponentials.tolist() == recorded[0].tolist()
    assert inverses.tolist() == recorded[1].tolist()


def test_tables_in_double(recorded: tuple[Int64Array, Int64Array]) -> None:
    """LiteRT's differ in two entries; tests/rounding has its results."""
    found = np.concatenate(softmax_tables(in_double=True))
    assert np.abs(found - np.concatenate(recorded)).sum() == 2


def test_between_entries(recorded: tuple[Int64Array, Int64Array]) -> None:
    """At an entry it is that, half-way the mean with ties upwards, and exp nowhere far off."""
    table = recorded[0].astype(np.int16)
    places = np.arange(-32768, 32767, 128)
    assert interpolated(places, table).tolist() == recorded[0][:-1].tolist()
    sums = recorded[0][:-1] + recorded[0][1:]
    assert interpolated(places + 64, table).tolist() == ((sums + 1) >> 1).tolist()
    every = np.arange(-32768, 32768)
    real = 32768 * np.exp((every - 32767) * (10 / 65535))
    assert np.abs(interpolated(every, table) - real).max() < 7


def test_sigmoids() -> None:
    """The functions are within three units of the real ones, up to where they saturate."""
    table = SIGMOIDS.astype(np.int64)
    assert table[0] == 2**15 and np.diff(table).min() >= 0 and len(table) == 256
    every = np.arange(-3 * 2**15, 3 * 2**15)
    real = every / (3 * 2**12)
    assert np.abs(interpolated_logistic(every) - 2**15 / (1 + np.exp(-real))).max() < 3
    assert np.abs(interpolated_tanh(every) - 2**15 * np.tanh(real)).max() < 3


@pytest.mark.parametrize(
    ("scale", "exponent"),
    [(2.0**-12, -12), (2.0**-12 * 1.0006, -12), (2.0**-12 * 1.0008, None), (1e-3, None), (1, 0)],
)
def test_near_power_of_two(scale: float, exponent: int | None) -> None:
    """Up to a thousandth of a bit."""
    assert near_power_of_two(scale) == exponent
