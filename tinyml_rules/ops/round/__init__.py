"""ROUND: real numbers rounded to the nearest integer; ties to the even one."""

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
    """`RoundToNearest` of TFLM, which gives 0 where `rint` of C gives -0."""
    below = np.floor(values)
    rest = values - below
    is_below = (rest < 0.5) | ((rest == 0.5) & (below % 2 == 0))
    return np.where(is_below, below, below + np.float32(1))


OP = map_op(
    "round",
    116,
    real_kernel(real_map(oracle), "round", "@real_round(value)", calls=("real_round",)),
    summary="float32",
)
