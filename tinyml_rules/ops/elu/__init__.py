"""ELU: x, or exp(x) - 1 below 0."""

from __future__ import annotations

import numpy as np

from tinyml_rules.arithmetic.real_hyperbolic import real_expm1
from tinyml_rules.ir.graph import Array
from tinyml_rules.ops._shared.looked_up import looked_up
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.pointwise import INT8_MAP
from tinyml_rules.ops._shared.quantization import QuantizationRule
from tinyml_rules.ops._shared.real_maps import (
    Float32Array,
    in_float32,
    map_op,
    real_kernel,
    real_map,
)


@looked_up
def oracle(values: Float32Array, _attrs: object) -> Array:
    """As `EluPrepare` of TFLM makes its table: exp minus 1, not expm1."""
    exponential = np.exp(values.astype(np.float64)).astype(np.float32)
    return np.where(values < 0, exponential - np.float32(1), values)


@in_float32
def oracle_of_reals(values: Float32Array, _attrs: object) -> Array:
    """`Elu` of TFLM."""
    return np.where(values < 0, real_expm1(values), values)


OP = map_op(
    "elu",
    111,
    real_kernel(
        real_map(oracle_of_reals),
        "elu",
        "value < 0.0f ? @real_expm1(value) : value",
        calls=("real_expm1",),
    ),
    Meaning(operands=INT8_MAP, oracle=oracle),
    summary="int8; float32",
    quantization=QuantizationRule(version=1),
)
