"""L2_NORMALIZATION in numpy: each value times the inverse square root of the sum of squares."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.fixed_point import INT8_MAX, INT8_MIN, requantize
from tinyml_rules.arithmetic.inverse_square_root import inverse_square_roots
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.real_maps import Float32Array, in_float32, in_order

FRACTION_BITS = 7
"""Of the output."""
_LEAST_LENGTH = np.float32(1e-6)
"""By which a shorter vector is divided."""


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    source = view["input"]
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


@in_float32
def oracle_of_real(values: Float32Array, _attrs: object) -> Array:
    """`reference_ops::L2Normalization` of TFLM."""
    lengths = np.sqrt(in_order(values * values))
    return values / np.fmax(lengths, _LEAST_LENGTH)
