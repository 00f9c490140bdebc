"""DEQUANTIZE in numpy."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.fixed_point import dequantize_real
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    source = view["input"]
    if source.dtype is DType.FLOAT16:
        return values[source.index].astype(np.float32)
    return dequantize_real(values[source.index], scale=source.scale, zero_point=source.zero_point)
