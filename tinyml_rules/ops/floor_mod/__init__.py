"""FLOOR_MOD: the remainders of quotients that are rounded down."""

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
        left = np.mod(first.astype(np.int64), np.where(second == 0, 1, second))
        return np.where(second == 0, 0, left)

    return evaluated(function, view, values)


def of_real(view: NodeView, values: Mapping[int, Array]) -> Array:
    """In float32."""

    def function(first: Any, second: Any) -> Array:
        left = np.fmod(first, second)
        found: Array = np.where((left != 0) & ((second < 0) != (left < 0)), left + second, left)
        return found

    return evaluated(function, view, values)


OP = floored(
    "floor_mod",
    (95, 72),
    f"second == 0 || second == -1 ? 0 : first % second + ({IS_ABOVE} ? second : 0)",
    of_int32=of_int32,
    of_real=of_real,
)
