"""MINIMUM in numpy: of two zeros, and of what is no number, the second."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.in_numpy import evaluated


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""

    def function(first: Array, second: Array) -> Array:
        return np.where(np.less(first, second), first, second)

    return evaluated(function, view, values)
