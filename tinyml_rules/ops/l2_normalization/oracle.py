"""L2_NORMALIZATION in numpy: each value times the inverse square root of the sum of squares."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.fixed_point import INT8_MAX, INT8_MIN, requantize
from tinyml_rules.arithmetic.inverse_square_root import inverse_square_roots
from tinyml_rules.ir.graph import Array, NodeView

FRACTION_BITS = 7
"""Of the output."""


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    source = view.input(0)
    centred = values[source.index].astype(np.int64) - source.zero_point
    multipliers, shifts = inverse_square_roots((centred**2).sum(axis=-1, keepdims=True))
    return requantize(
        centred,
        multipliers,
        shifts + FRACTION_BITS,
        zero_point=0,
        clamp_min=INT8_MIN,
        clamp_max=INT8_MAX,
    )
