"""SQUARE: x * x, of real numbers."""

from __future__ import annotations

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
    """`SquareEval` of TFLM."""
    return values * values


OP = map_op(
    "square",
    92,
    real_kernel(real_map(oracle), "square", "value * value"),
    options_type=66,
    summary="float32",
)
