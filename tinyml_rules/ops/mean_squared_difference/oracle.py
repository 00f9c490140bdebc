"""MEAN_SQUARED_DIFFERENCE in numpy: integers of any size."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.squared_difference import difference_of
from tinyml_rules.ir.graph import Array, NodeView


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    one, other = view["first input"], view["second input"]
    a, b = (
        values[each.index].reshape(-1).astype(np.int64) - each.zero_point for each in (one, other)
    )
    made = difference_of(one, other, view.output)
    found = made.of(int(a @ a), int(a @ b), int(b @ b))
    return np.array(found, np.int32).reshape(view.output.shape)
