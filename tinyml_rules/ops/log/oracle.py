"""LOG in numpy."""

from __future__ import annotations

import numpy as np

from tinyml_rules.ir.graph import Array
from tinyml_rules.ops._shared.looked_up import looked_up
from tinyml_rules.ops._shared.real_maps import Float32Array, Float64Array, in_double


@looked_up
def oracle(values: Float32Array, _attrs: object) -> Array:
    """`LogLUTPrepare` of LiteRT: the least value where there is no logarithm."""
    return np.where(values > 0, np.log(values.astype(np.float64)), -np.inf)


@in_double
def oracle_of_reals(values: Float64Array, _attrs: object) -> Array:
    """`LogEval` of TFLM."""
    return np.asarray(np.log(values))
