"""RELU of real numbers: what may be wrong with a node, and its meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared import constraints


def check(view: NodeView) -> Iterator[str]:
    """float32 input and output of the same shape."""
    source, result = view.input(0), view.output
    yield from constraints.plain(source, "input", DType.FLOAT32)
    yield from constraints.plain(result, "output", DType.FLOAT32)
    yield from constraints.shaped(result, source.shape)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor; `ReluFloat` of TFLM."""
    source = values[view.input(0).index].astype(np.float32)
    return np.where(source < 0, np.float32(0), source)
