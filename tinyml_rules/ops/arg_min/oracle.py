"""ARG_MIN in numpy."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.best_index import first_best


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    axis = int(values[view["axis"].index].reshape(-1)[0])
    found = first_best(values[view["input"].index], axis, np.less)
    return found.astype(view.output.dtype.numpy)
