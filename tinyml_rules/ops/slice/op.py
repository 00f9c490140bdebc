"""SLICE: what may be wrong with a node, and where its elements come from.

A begin that is computed is brought into the tensor, because an inference cannot fail.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.moves import moved_part, slice_of
from tinyml_rules.ops._shared.moving import ints, moved, numbers, places, vector

TO_THE_END = -1


def check(view: NodeView) -> Iterator[str]:
    """A begin and a size for each dimension, and a block that lies inside."""
    source, begin, size, result = view.input(0), view.input(1), view.input(2), view.output
    yield from moved((source,), (result,))
    rank = len(source.shape)
    wrong = [*places(begin, "begin"), *numbers(size, "size", DType.INT32, DType.INT64)]
    wrong = wrong or [*vector(begin, "begin", rank), *vector(size, "size", rank)]
    yield from wrong
    if wrong:
        return
    if begin.data is None and TO_THE_END in ints(size):
        yield f"size tensor {size} has a {TO_THE_END}, but the begins are computed at run time"
        return
    begins = ints(begin) if begin.data is not None else (0,) * rank
    sizes = []
    for axis, (most, first, count) in enumerate(zip(source.shape, begins, ints(size), strict=True)):
        taken = most - first if count == TO_THE_END else count
        if not 0 <= first <= first + taken <= most or taken < 1:
            yield (
                f"begin {first} with size {count} exceeds dimension {axis} of input tensor {source}"
            )
            return
        sizes.append(taken)
    yield from constraints.shaped(result, tuple(sizes))


def layout(view: NodeView) -> tuple[Place]:
    """One copy."""
    source, begin, result = view.input(0), view.input(1), view.output
    if begin.data is None:
        return (moved_part(source, result, begin),)
    return (slice_of(source, result, starts=ints(begin)),)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """Python's own slices."""
    source, shape = values[view.input(0).index], view.output.shape
    begins = values[view.input(1).index].tolist()
    cut = []
    for begin, most, count in zip(begins, source.shape, shape, strict=True):
        first = min(max(begin, 0), most - count)
        cut.append(slice(first, first + count))
    return np.array(source[tuple(cut)])
