"""LOGICAL_NOT: the negation of each bool."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.operands import plain
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.real_maps import map_op


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    return np.logical_not(values[view["input"].index])


OP = map_op(
    "logical_not",
    87,
    Meaning(
        operands={"input": plain(DType.BOOL), "output": plain(DType.BOOL, shape="input")},
        oracle=oracle,
    ),
    summary="bool",
    options_type=63,
)
