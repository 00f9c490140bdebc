"""REDUCE_PROD: the product of the values along some axes; integers wrap."""

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
    dtype = values[view["input"].index].dtype
    return over_axes(view, values, np.multiply, start=dtype.type(1))


OP = Op(
    name="reduce_prod",
    builtin_code=81,
    options_type=27,
    attrs=Attrs,
    inputs=("input", "axis"),
    summary="int32, int64, float32; any axes, constants; keep_dims",
    meanings=meanings(
        "reduce_prod",
        lambda dtype: joined(dtype, "*", start="1"),
        oracle,
        (DType.INT32, DType.INT64, DType.FLOAT32),
    ),
)
