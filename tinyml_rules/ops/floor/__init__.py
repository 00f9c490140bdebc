"""FLOOR: real numbers rounded down."""

from __future__ import annotations

import numpy as np

from tinyml_rules.ir.graph import Array
from tinyml_rules.ops._shared.real_maps import (
    Float32Array,
    in_float32,
    map_op,
    real_kernel,
    real_map,
)


@in_float32
def oracle(values: Float32Array, _attrs: object) -> Array:
    """`Floor` of TFLM."""
    return np.asarray(np.floor(values))


OP = map_op(
    "floor",
    8,
    real_kernel(real_map(oracle), "floor", "@real_floor(value)", calls=("real_floor",)),
    summary="float32",
)
