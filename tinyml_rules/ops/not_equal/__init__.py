"""NOT_EQUAL: whether the values of two tensors differ, elementwise, broadcast if the shapes
differ."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.comparison import NOT_EQUAL, comparison
from tinyml_rules.ops._shared.in_numpy import compared


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    return compared(np.not_equal, view, values, scaled=(DType.INT8, DType.INT16))


OP = comparison("not_equal", NOT_EQUAL, oracle, builtin_code=72, options_type=54)
