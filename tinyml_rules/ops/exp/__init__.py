"""EXP: e to the power of x; int8 is LiteRT's."""

from __future__ import annotations

import numpy as np

from tinyml_rules.arithmetic.real_exponential import real_exp
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
    """`Prepare` of exp.cc in LiteRT."""
    return np.asarray(np.exp(values.astype(np.float64)))


@in_float32
def oracle_of_reals(values: Float32Array, _attrs: object) -> Array:
    """`ExpEval` of TFLM."""
    return real_exp(values)


OP = map_op(
    "exp",
    47,
    real_kernel(real_map(oracle_of_reals), "exp", "@real_exp(value)", calls=("real_exp",)),
    Meaning(operands=INT8_MAP, oracle=oracle),
    summary="int8; float32",
    options_type=33,
    quantization=FREE,
)
