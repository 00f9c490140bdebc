"""EXP in numpy."""

from __future__ import annotations

import numpy as np

from tinyml_rules.ir.graph import Array
from tinyml_rules.ops._shared.looked_up import looked_up
from tinyml_rules.ops._shared.real_maps import Float32Array, Float64Array, in_double


@looked_up
def oracle(values: Float32Array, _attrs: object) -> Array:
    """`Prepare` of exp.cc in LiteRT."""
    return np.asarray(np.exp(values.astype(np.float64)))


@in_double
def oracle_of_reals(values: Float64Array, _attrs: object) -> Array:
    """`ExpEval` of TFLM."""
    return np.asarray(np.exp(values))
