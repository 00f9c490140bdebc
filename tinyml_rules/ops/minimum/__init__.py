"""MINIMUM: the lesser of two values, broadcast if their shapes differ.

Of two zeros, and if either is NaN, the second.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.extremum import extremum
from tinyml_rules.ops._shared.in_numpy import evaluated
from tinyml_rules.ops._shared.quantization import moves


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""

    def function(first: Array, second: Array) -> Array:
        return np.where(np.less(first, second), first, second)

    return evaluated(function, view, values)


OP = extremum(
    "minimum", builtin_code=57, operator="<", oracle=oracle, quantization=moves(int16_version=4)
)
