"""POW in numpy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.in_numpy import evaluated
from tinyml_rules.ops._shared.real_maps import Float32Array

_MODULO = np.vectorize(
    lambda base, exponent: pow(int(base), max(int(exponent), 0), 2**32), otypes=[np.int64]
)
_GREATEST = np.finfo(np.float32).max
_CLOSE = np.float32(1e-5)


def of_int32(view: NodeView, values: Mapping[int, Array]) -> Array:
    """It wraps; an exponent below 0 is as 0."""
    return evaluated(_MODULO, view, values)


def of_real(view: NodeView, values: Mapping[int, Array]) -> Array:
    """`BroadcastPow4D` of LiteRT, which multiplies where one exponent for all is close to a whole
    number; else the power is rounded once, from double."""

    def function(base: Any, exponent: Any) -> Array:
        times = _whole(exponent) if base.shape != exponent.shape else 0
        if times:
            return np.broadcast_to(_product(base, times), view.output.shape)
        found: Array = np.power(base.astype(np.float64), exponent.astype(np.float64))
        return found.astype(np.float32)

    return evaluated(function, view, values)


def _whole(exponent: Array) -> int:
    """The whole number above 0 that a single exponent is close to; 0 where there is none."""
    if exponent.size != 1:
        return 0
    value = np.float32(exponent.item())
    nearest = np.round(value)
    is_close = 1 <= nearest < 2**31 and np.abs(value - nearest) < _CLOSE
    return int(nearest) if is_close else 0


def _product(base: Float32Array, times: int) -> Float32Array:
    """`IntegerExponentPow` of LiteRT: squares in float32, and nothing beyond its finite numbers."""
    if times == 1:
        return base
    root = _product(base, times // 2)
    square = (root * root).clip(-_GREATEST, _GREATEST)
    return (base * square).clip(-_GREATEST, _GREATEST) if times % 2 else square
