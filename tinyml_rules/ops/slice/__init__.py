"""SLICE: a block of a tensor.

A computed begin is clamped to the tensor, because an inference cannot fail.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.moves import moved_part, slice_of
from tinyml_rules.ops._shared.moving import ints
from tinyml_rules.ops._shared.operands import alike, movable, numbers, place_numbers, rank_of
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import moves

TO_THE_END = -1


OPERANDS = {
    "input": movable(),
    "begin": place_numbers(shape=rank_of("input")),
    "size": numbers(DType.INT32, DType.INT64, shape=rank_of("input")),
    "output": alike("input"),
}


def check(view: NodeView) -> Iterator[str]:
    """The block is inside the tensor."""
    source, begin, size = view["input"], view["begin"], view["size"]
    if begin.data is None and TO_THE_END in ints(size):
        yield f"size tensor {size} has a {TO_THE_END}, but the begins are computed at run time"
        return
    begins = ints(begin) if begin.data is not None else (0,) * len(source.shape)
    sizes = []
    for axis, (most, first, count) in enumerate(zip(source.shape, begins, ints(size), strict=True)):
        taken = most - first if count == TO_THE_END else count
        if not 0 <= first <= first + taken <= most or taken < 1:
            yield (
                f"begin {first} with size {count} exceeds dimension {axis} of input tensor {source}"
            )
            return
        sizes.append(taken)
    yield from constraints.shaped(view.output, tuple(sizes))


def layout(view: NodeView) -> tuple[Place]:
    """One copy."""
    source, begin, result = view["input"], view["begin"], view.output
    if begin.data is None:
        return (moved_part(source, result, begin),)
    return (slice_of(source, result, starts=ints(begin)),)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """Python's own slices."""
    source, shape = values[view["input"].index], view.output.shape
    begins = values[view["begin"].index].tolist()
    cut = []
    for begin, most, count in zip(begins, source.shape, shape, strict=True):
        first = min(max(begin, 0), most - count)
        cut.append(slice(first, first + count))
    return np.array(source[tuple(cut)])


OP = Op(
    name="slice",
    builtin_code=65,
    options_type=48,
    inputs=("input", "begin", "size"),
    summary="any type; constant sizes; begins constant, or computed and then kept inside; "
    "of the outermost dimension free",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
    quantization=moves(int16_version=4),
)
