"""ARG_MAX: the index of the largest value along an axis."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.best_index import TYPES, Attrs, check_options, first_best, meanings
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.quantization import FREE


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    axis = int(values[view["axis"].index].reshape(-1)[0])
    found = first_best(values[view["input"].index], axis, np.greater)
    return found.astype(view.output.dtype.numpy)


OP = Op(
    name="arg_max",
    builtin_code=56,
    options_type=40,
    attrs=Attrs,
    inputs=("input", "axis"),
    options=check_options,
    summary=f"{', '.join(TYPES)} to int32 or int64; any axis, a constant",
    meanings=meanings("arg_max", oracle, better=">"),
    quantization=FREE,
)
