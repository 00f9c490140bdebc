"""int8 operators that are tables in TFLM and LiteRT too, computed in float32."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.fixed_point import INT8_MAX, INT8_MIN
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.operator import Oracle

Float32Array = npt.NDArray[np.float32]


def looked_up(function: Callable[[Float32Array, Any], Array]) -> Oracle:
    """The oracle from a function of real numbers and the node's options.

    `PopulateLookupTable` of TFLM's elu.cc and `LUTPopulate` of LiteRT: every step in float32, ties
    away from zero; the quotient is a product with the reciprocal of the output's scale."""

    @wraps(function)
    def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
        source, result = view["input"], view.output
        distances = values[source.index].astype(np.int64) - source.zero_point
        reals = np.float32(source.scale) * distances.astype(np.float32)
        with np.errstate(all="ignore"):
            results = np.asarray(function(reals, view.node.attrs)).astype(np.float32)
            scaled = results * (np.float32(1) / np.float32(result.scale))
        # float64 holds every float32 and every sum of one with a half, so floor is exact here
        whole = np.copysign(np.floor(np.abs(scaled.astype(np.float64)) + 0.5), scaled)
        found = np.nan_to_num(whole, nan=-np.inf) + result.zero_point
        return np.asarray(np.clip(found, INT8_MIN, INT8_MAX), np.int8)

    return oracle
