"""ZEROS_LIKE: what may be wrong with a node, and its meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.border import zero_of

TYPES = (DType.INT8, DType.INT32, DType.INT64, DType.FLOAT32)
"""Those of TFLM."""


def check(view: NodeView) -> Iterator[str]:
    """TFLM writes the number 0, which means 0 only where the zero point is 0."""
    source, result = view.input(0), view.output
    wrong = list(constraints.typed(source, "input", *TYPES))
    wrong = wrong or list(constraints.typed(result, "output", source.dtype))
    yield from wrong
    yield from constraints.shaped(result, source.shape)
    if wrong or result.dtype is not DType.INT8:
        return
    problems = list(constraints.per_tensor(result, "output"))
    yield from problems
    if not problems and zero_of(result):
        yield f"output tensor {result} has zero point {result.zero_point}, expected 0"


def layout(view: NodeView) -> tuple[Place]:
    """Of a tensor that is too large to be a constant."""
    result = view.output
    zero = np.zeros(1, result.dtype.numpy)
    return (Place(result.index, (result.count,), (0,), (1,), values=zero),)


def oracle(view: NodeView, _values: Mapping[int, Array]) -> Array:
    """numpy's own."""
    return np.zeros(view.input(0).shape, view.output.dtype.numpy)
