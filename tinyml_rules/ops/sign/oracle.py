"""SIGN in numpy."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.real_maps import Float32Array, in_float32


@in_float32
def oracle_of_reals(values: Float32Array, _attrs: object) -> Array:
    """`Sign` of LiteRT."""
    return np.sign(values)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    return np.asarray(np.sign(values[view["input"].index].astype(np.int32)))
