"""COS in numpy."""

from __future__ import annotations

import numpy as np

from tinyml_rules.ir.graph import Array
from tinyml_rules.ops._shared.real_maps import Float64Array, in_double


@in_double
def oracle(values: Float64Array, _attrs: object) -> Array:
    """`CosEval` of TFLM."""
    return np.asarray(np.cos(values))
