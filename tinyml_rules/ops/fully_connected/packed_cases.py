"""Cases of FULLY_CONNECTED with weights that are worth packing, for every way to pack them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import Case, random, random_case
from tinyml_rules.ops._shared.cases.weighted import WRAPPING_FACTOR, wrapping

IntArray = npt.NDArray[Any]

EVERY_WIDTH = (0, 4, 1, 8, 2, 7, 3, 6, 5)


def rows_of_widths(rows: int, count: int, widths: Sequence[int] = (3, 4)) -> IntArray:
    """Random weights [rows][count]; those of a row need so many bits, row after row."""
    bits = np.resize(widths, rows)[:, None]
    values = random(rows + count).integers(-128, 128, (rows, count)) >> (8 - bits)
    return np.where(bits > 0, values, 0)


def with_ends(values: IntArray) -> IntArray:
    """The same with a row of each end of int8, and both of them at the edges of another."""
    ends = values.copy()
    ends[1], ends[-2] = -128, 127
    ends[3, [0, -1]] = 127, -128
    return ends


def packed_cases(dense: Callable[..., ModelSpec]) -> dict[str, Case]:
    """By name; `dense` makes the model of a layer."""
    every, per_axis = rows_of_widths(18, 104, EVERY_WIDTH), rows_of_widths(22, 75)
    wraps = dense((1, 71), (1, 19), values=rows_of_widths(19, 71), factor=WRAPPING_FACTOR)
    found = {
        "every_width": dense((2, 104), (2, 18), values=every, is_per_axis=False),
        "every_width_odd": dense((1, 100), (1, 17), values=rows_of_widths(17, 100, EVERY_WIDTH)),
        "per_axis": dense((3, 75), (3, 22), values=per_axis, is_per_axis=True),
        "ends": dense((2, 99), (2, 14), values=with_ends(rows_of_widths(14, 99, (2,)))),
        "ends_per_axis": dense(
            (2, 99),
            (2, 14),
            values=with_ends(rows_of_widths(14, 99, (2,))),
            is_per_axis=True,
            zero_points=(-128, 127),
        ),
        "few_inputs": dense((1, 35), (1, 85), values=rows_of_widths(85, 35), bias_size=None),
        "one_output": dense((1, 1205), (1, 1), values=rows_of_widths(1, 1205)),
        "blocks_and_eights": dense(
            (1, 64), (1, 24), values=rows_of_widths(24, 64), activation=Activation.RELU
        ),
        "zeros": dense((1, 60), (1, 16), values=rows_of_widths(16, 60, (0, 0, 0, 3))),
        "sums_wrap": wrapping(wraps),
    }
    return {f"packed_{name}": random_case(model) for name, model in found.items()}
