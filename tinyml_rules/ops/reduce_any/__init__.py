"""REDUCE_ANY: whether any value along some axes is true."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.in_numpy import over_axes
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.plain_reduction import joined, meanings
from tinyml_rules.ops._shared.reduction import Attrs


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    return over_axes(view, values, np.logical_or, start=np.False_)


OP = Op(
    name="reduce_any",
    builtin_code=91,
    options_type=27,
    attrs=Attrs,
    inputs=("input", "axis"),
    summary="bool; any axes, constants; keep_dims",
    meanings=meanings(
        "reduce_any", lambda dtype: joined(dtype, "||", start="false"), oracle, (DType.BOOL,)
    ),
)
