"""FLOOR_MOD in numpy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView
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
