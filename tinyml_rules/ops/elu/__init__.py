"""ELU: x, or exp(x) - 1 below 0."""

from __future__ import annotations

import numpy as np

from tinyml_rules.ir.graph import Array
from tinyml_rules.ops._shared.looked_up import looked_up
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.pointwise import INT8_MAP
from tinyml_rules.ops._shared.quantization import QuantizationRule
from tinyml_rules.ops._shared.real_maps import ISLAND, Float32Array, in_float32, map_op, real_map


@looked_up
def oracle(values: Float32Array, _attrs: object) -> Array:
    """`EluPrepare` of TFLM, where its table is made: exp less 1, not expm1."""
    exponential = np.exp(values.astype(np.float64)).astype(np.float32)
    return np.where(values < 0, exponential - np.float32(1), values)


@in_float32
def oracle_of_reals(values: Float32Array, _attrs: object) -> Array:
    """`Elu` of TFLM."""
    return np.where(values < 0, np.expm1(values.astype(np.float64)), values)


OP = map_op(
    "elu",
    111,
    real_map(oracle_of_reals),
    Meaning(operands=INT8_MAP, oracle=oracle),
    summary=f"int8; {ISLAND}",
    quantization=QuantizationRule(version=1),
)
