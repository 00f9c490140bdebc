"""LOG: the natural logarithm; int8 is LiteRT's."""

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
    """`LogLUTPrepare` of LiteRT: the least value where there is no logarithm."""
    return np.where(values > 0, np.log(values.astype(np.float64)), -np.inf)


@in_double
def oracle_of_reals(values: Float64Array, _attrs: object) -> Array:
    """`LogEval` of TFLM."""
    return np.asarray(np.log(values))


OP = map_op(
    "log",
    73,
    real_map(oracle_of_reals),
    Meaning(operands=INT8_MAP, oracle=oracle),
    summary=f"int8, the least value for 0 and below; {ISLAND}",
    quantization=FREE,
)
