"""Pools of four and eight channels at a time: every window, border and sum equals TFLM's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.ops.test_cases import wrong_in_c
from tests.ops.test_weight_pairs import PART, kernel_of, of_ends
from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.ops._shared.cases.case import Case
from tinyml_rules.ops._shared.cases.pooling import pool
from tinyml_rules.ops._shared.spatial import Padding

CHANNELS = {"AVERAGE_POOL_2D": range(8, 18), "MAX_POOL_2D": range(4, 18)}
KERNELS = {"AVERAGE_POOL_2D": "eight", "MAX_POOL_2D": "bytes"}
WINDOWS = ((3, 3), (2, 2), (1, 4), (4, 1), (3, 5), (1, 1))
ACTIVATIONS = (Activation.NONE, Activation.RELU, Activation.RELU6, Activation.RELU_N1_TO_1)
CELLS = (1, 2, 3, 64, 127, 128, 254, 255)
"""In one row, the last as many as 16 bits hold the sum of."""


def _cases(operator: str) -> Iterator[tuple[str, Case]]:
    """Windows and borders with each number of channels, and numbers of cells."""
    for number, channels in enumerate(CHANNELS[operator]):
        for padding in Padding:
            model = pool(
                operator,
                (1, 5, 6, channels),
                WINDOWS[number % len(WINDOWS)],
                strides=(1 + number % 2, 1 + number % 3),
                padding=padding,
                activation=ACTIVATIONS[number % len(ACTIVATIONS)],
            )
            yield f"{operator}_{channels}_{padding.name}".lower(), of_ends(model)
    for columns in CELLS:
        model = pool(operator, (1, 1, columns, 9), (1, columns), padding=Padding.VALID)
        yield f"{operator}_of_{columns}".lower(), of_ends(model)


@pytest.mark.parametrize("operator", KERNELS)
def test_equals_tflm(operator: str, tmp_path: Path) -> None:
    """All of them take such a kernel, and give the reference's bytes."""
    cases = dict(_cases(operator))
    kernels = {name: kernel_of(case.model) for name, case in cases.items()}
    assert not [name for name, kernel in kernels.items() if KERNELS[operator] not in kernel]
    assert not wrong_in_c(cases, PART, folder=tmp_path)


def test_means_are_rounded_for_all_sums() -> None:
    """The multiplication of average_pool_2d/kernels/eight.c.j2 is the division, ties included."""
    for count in range(1, CELLS[-1] + 1):
        reciprocal = min(2**31 // count + 1, 2**31 - 1)
        sums = np.arange(-128 * count, 127 * count + 1, dtype=np.int64)
        means = ((sums * reciprocal >> 16) + 2**14) >> 15
        magnitudes = (np.abs(sums) + count // 2) // count
        assert np.array_equal(means, np.where(sums > 0, magnitudes, -magnitudes))
