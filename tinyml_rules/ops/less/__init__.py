"""LESS: whether the first tensor's values are less, elementwise, broadcast if the shapes differ."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.comparison import LESS, comparison
from tinyml_rules.ops._shared.in_numpy import compared


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    return compared(np.less, view, values)


OP = comparison("less", LESS, oracle, builtin_code=58, options_type=41)
