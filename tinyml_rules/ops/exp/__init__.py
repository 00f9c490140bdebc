"""EXP: e to the power of x; int8 is LiteRT's."""

from __future__ import annotations

import numpy as np

from tinyml_rules.ir.graph import Array
from tinyml_rules.ops._shared.looked_up import looked_up
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.pointwise import INT8_MAP
from tinyml_rules.ops._shared.quantization import FREE
from tinyml_rules.ops._shared.real_maps import (
    ISLAND,
    Float32Array,
    Float64Array,
    in_double,
    map_op,
    real_map,
)


@looked_up
def oracle(values: Float32Array, _attrs: object) -> Array:
    """`Prepare` of exp.cc in LiteRT."""
    return np.asarray(np.exp(values.astype(np.float64)))


@in_double
def oracle_of_reals(values: Float64Array, _attrs: object) -> Array:
    """`ExpEval` of TFLM."""
    return np.asarray(np.exp(values))


OP = map_op(
    "exp",
    47,
    real_map(oracle_of_reals),
    Meaning(operands=INT8_MAP, oracle=oracle),
    summary=f"int8; {ISLAND}",
    options_type=33,
    quantization=FREE,
)
