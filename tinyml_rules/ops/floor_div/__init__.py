"""FLOOR_DIV: quotients, rounded down."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.dividing import IS_ABOVE, floored
from tinyml_rules.ops._shared.in_numpy import evaluated


def of_int32(view: NodeView, values: Mapping[int, Array]) -> Array:
    """By 0 it is 0."""

    def function(first: Array, second: Array) -> Array:
        quotients = np.floor_divide(first.astype(np.int64), np.where(second == 0, 1, second))
        return np.where(second == 0, 0, quotients)

    return evaluated(function, view, values)


def of_real(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The quotient is one of doubles (`FloorDiv` of TFLM)."""

    def function(first: Any, second: Any) -> Array:
        quotient: Array = np.floor(np.divide(first, second, dtype=np.float64))
        return quotient

    return evaluated(function, view, values)


OP = floored(
    "floor_div",
    (90, 65),
    "second == 0 ? 0 : second == -1 ? (int32_t)(0u - (uint32_t)first) : "
    f"first / second - ({IS_ABOVE} ? 1 : 0)",
    of_int32=of_int32,
    of_real=of_real,
)
