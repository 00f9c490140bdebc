"""RELU of real numbers: what may be wrong with a node, and its meaning."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor; `ReluFloat` of TFLM."""
    source = values[view["input"].index].astype(np.float32)
    return np.where(source < 0, np.float32(0), source)
