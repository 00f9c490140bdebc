"""SHAPE: what may be wrong with a node, and its meaning.  No kernel: it is always folded."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.operands import Operand, plain, rank_of

OPERANDS = {
    "input": Operand(may_be_variable=True),
    "output": plain(DType.INT32, DType.INT64, shape=rank_of("input")),
}


def oracle(view: NodeView, _values: Mapping[int, Array]) -> Array:
    """The dimensions of the input."""
    return np.array(view["input"].shape, view.output.dtype.numpy)
