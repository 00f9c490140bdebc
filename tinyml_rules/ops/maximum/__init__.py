"""MAXIMUM: the greater of two values, broadcast if their shapes differ.

Of two zeros, and if either is NaN, the second.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.extremum import extremum
from tinyml_rules.ops._shared.in_numpy import evaluated
from tinyml_rules.ops._shared.quantization import moves


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""

    def function(first: Array, second: Array) -> Array:
        return np.where(np.greater(first, second), first, second)

    return evaluated(function, view, values)


OP = extremum(
    "maximum",
    builtin_code=55,
    operator=">",
    oracle=oracle,
    quantization=replace(moves(int16_version=4), takes_greatest=True),
)
