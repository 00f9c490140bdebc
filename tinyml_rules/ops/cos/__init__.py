"""COS: the cosine of real numbers."""

from __future__ import annotations

import numpy as np

from tinyml_rules.ir.graph import Array
from tinyml_rules.ops._shared.real_maps import Float64Array, in_double, map_op, real_map


@in_double
def oracle(values: Float64Array, _attrs: object) -> Array:
    """`CosEval` of TFLM."""
    return np.asarray(np.cos(values))


OP = map_op("cos", 108, real_map(oracle), options_type=84)
