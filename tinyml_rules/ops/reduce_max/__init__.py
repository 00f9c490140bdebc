"""REDUCE_MAX: the greatest value along some axes; NaN is ignored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.in_numpy import ends_of, over_axes
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.plain_reduction import ORDERED, best, meanings
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops._shared.reduction import Attrs, channels


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    start, _ = ends_of(values[view["input"].index].dtype)
    return over_axes(
        view, values, lambda best, each: np.where(np.greater(each, best), each, best), start=start
    )


OP = Op(
    name="reduce_max",
    builtin_code=82,
    options_type=27,
    attrs=Attrs,
    channels=channels,
    inputs=("input", "axis"),
    summary=f"{', '.join(ORDERED)}; any axes, constants; keep_dims",
    meanings=meanings("reduce_max", lambda dtype: best(dtype, better=">"), oracle, ORDERED),
    quantization=replace(MOVES, takes_greatest=True),
)
