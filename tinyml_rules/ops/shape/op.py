"""SHAPE: what may be wrong with a node, and its meaning.  No kernel: it is always folded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared import constraints


def check(view: NodeView) -> Iterator[str]:
    """A vector of integers, one for each dimension."""
    source, result = view.input(0), view.output
    yield from constraints.typed(result, "output", DType.INT32, DType.INT64)
    yield from constraints.shaped(result, (len(source.shape),))


def oracle(view: NodeView, _values: Mapping[int, Array]) -> Array:
    """The dimensions of the input."""
    return np.array(view.input(0).shape, view.output.dtype.numpy)
