"""BROADCAST_ARGS: what may be wrong with a node, and its meaning.  No kernel: always folded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.moving import ints, numbers


def check(view: NodeView) -> Iterator[str]:
    """Two constant shapes that broadcast."""
    shapes, result = (view.input(0), view.input(1)), view.output
    yield from constraints.typed(result, "output", shapes[0].dtype)
    wrong = list(numbers(shapes[0], "first shape", DType.INT32, DType.INT64))
    wrong += numbers(shapes[1], "second shape", shapes[0].dtype)
    for tensor in shapes:
        if len(tensor.shape) != 1:
            wrong.append(f"shape tensor {tensor} has {len(tensor.shape)} dimensions, expected 1")
    yield from wrong
    if wrong:
        return
    first, second = (ints(tensor) for tensor in shapes)
    pairs = zip_longest(reversed(first), reversed(second), fillvalue=1)
    if any(1 not in pair and pair[0] != pair[1] for pair in pairs):
        yield f"shapes {list(first)} and {list(second)} do not broadcast"
    yield from constraints.shaped(result, (max(len(first), len(second)),))


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """Of each dimension the one that is not 1, as numpy broadcasts; a negative size stays."""
    first, second = (values[view.input(position).index] for position in (0, 1))
    rank = max(len(first), len(second))
    aligned = [
        np.concatenate([np.ones(rank - len(each), each.dtype), each]) for each in (first, second)
    ]
    return np.where(aligned[0] == 1, aligned[1], aligned[0]).astype(view.output.dtype.numpy)
