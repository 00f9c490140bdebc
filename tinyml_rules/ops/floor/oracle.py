"""FLOOR in numpy."""

from __future__ import annotations

import numpy as np

from tinyml_rules.ir.graph import Array
from tinyml_rules.ops._shared.real_maps import Float32Array, in_float32


@in_float32
def oracle(values: Float32Array, _attrs: object) -> Array:
    """`Floor` of TFLM."""
    return np.asarray(np.floor(values))
