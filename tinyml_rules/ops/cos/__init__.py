"""COS: the cosine of real numbers."""

from __future__ import annotations

from tinyml_rules.arithmetic.real_trigonometric import real_cos
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
    """`CosEval` of TFLM."""
    return real_cos(values)


OP = map_op(
    "cos",
    108,
    real_kernel(real_map(oracle), "cos", "@real_sine(value, 1)", calls=("real_sine",)),
    summary="float32",
    options_type=84,
)
