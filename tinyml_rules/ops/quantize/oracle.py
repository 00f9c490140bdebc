"""QUANTIZE in numpy."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.fixed_point import quantize_real
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.in_numpy import moved


def oracle_from_real(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    source, result = view.input(0), view.output
    real = values[source.index].astype(np.float32)
    return quantize_real(real, scale=result.scale, zero_point=result.zero_point)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    source = view.input(0)
    return moved(values[source.index], source, view.output)
