"""LOG: the natural logarithm; int8 is LiteRT's."""

from __future__ import annotations

import numpy as np

from tinyml_rules.arithmetic.real_logarithm import real_log
from tinyml_rules.ir.graph import Array
from tinyml_rules.ops._shared.looked_up import looked_up
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.pointwise import INT8_MAP
from tinyml_rules.ops._shared.quantization import FREE
from tinyml_rules.ops._shared.real_maps import (
    Float32Array,
    in_float32,
    map_op,
    real_kernel,
    real_map,
)


@looked_up
def oracle(values: Float32Array, _attrs: object) -> Array:
    """`LogLUTPrepare` of LiteRT: the least value if there is no logarithm."""
    return np.where(values > 0, np.log(values.astype(np.float64)), -np.inf)


@in_float32
def oracle_of_reals(values: Float32Array, _attrs: object) -> Array:
    """`LogEval` of TFLM."""
    return real_log(values)


OP = map_op(
    "log",
    73,
    real_kernel(real_map(oracle_of_reals), "log", "@real_log(value)", calls=("real_log",)),
    Meaning(operands=INT8_MAP, oracle=oracle),
    summary="int8, the least value for 0 and below; float32",
    quantization=FREE,
)
