"""GREATER_EQUAL: whether the first tensor's values are greater or equal, elementwise, broadcast if
the shapes differ."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.comparison import GREATER_EQUAL, comparison
from tinyml_rules.ops._shared.in_numpy import compared


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    return compared(np.greater_equal, view, values)


OP = comparison("greater_equal", GREATER_EQUAL, oracle, builtin_code=62, options_type=45)
