"""NEG in numpy."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.real_maps import Float32Array, in_float32


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor; `Negate` of LiteRT, where -128 stays itself."""
    return np.asarray(np.negative(values[view["input"].index].astype(np.int8)))


@in_float32
def oracle_of_reals(values: Float32Array, _attrs: object) -> Array:
    """`Negate` of TFLM."""
    return np.asarray(-values)
