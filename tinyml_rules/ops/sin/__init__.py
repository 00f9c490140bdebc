"""SIN: the sine of real numbers."""

from __future__ import annotations

from tinyml_rules.arithmetic.real_trigonometric import real_sin
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
    """`SinEval` of TFLM."""
    return real_sin(values)


OP = map_op(
    "sin",
    66,
    real_kernel(real_map(oracle), "sin", "@real_sine(value, 0)", calls=("real_sine",)),
    summary="float32",
)
