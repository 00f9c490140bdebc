"""SIN: the sine of real numbers."""

from __future__ import annotations

import numpy as np

from tinyml_rules.ir.graph import Array
from tinyml_rules.ops._shared.real_maps import Float64Array, in_double, map_op, real_map


@in_double
def oracle(values: Float64Array, _attrs: object) -> Array:
    """`SinEval` of TFLM."""
    return np.asarray(np.sin(values))


OP = map_op("sin", 66, real_map(oracle))
