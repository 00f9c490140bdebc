"""LOGICAL_AND: whether both values are true, elementwise."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.broadcast import SECOND, constant_last, has_single_constants
from tinyml_rules.ops._shared.in_numpy import evaluated
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.plain_values import MOST_SIMPLE_RANK, plain_meaning


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    return evaluated(np.logical_and, view, values)


OP = Op(
    name="logical_and",
    builtin_code=86,
    options_type=62,
    inputs=("first input", "second input"),
    summary="bool; broadcast up to 4 dimensions; either input constant",
    is_map=has_single_constants,
    meanings=(
        plain_meaning(
            "logical_and",
            DType.BOOL,
            "first && second",
            oracle,
            constants=SECOND,
            order=constant_last,
            most_rank=MOST_SIMPLE_RANK,
        ),
    ),
)
