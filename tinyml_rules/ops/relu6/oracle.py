"""RELU6 in numpy."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.bounded import bounded
from tinyml_rules.ops._shared.real_maps import Float32Array, in_float32


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    return bounded(view, values, Activation.RELU6)


@in_float32
def oracle_of_reals(values: Float32Array, _attrs: object) -> Array:
    """`Relu6Float` of TFLM."""
    return np.clip(values, np.float32(0), np.float32(6))
