"""What GATHER, GATHER_ND and EMBEDDING_LOOKUP share: runs of elements at given indices.

Constant indices become a layout. Computed ones are clamped to the tensor, because a kernel cannot
fail; TFLM ends the inference with an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared.choosing import chosen
from tinyml_rules.ops._shared.copies import element_kernel, elements_of, with_values
from tinyml_rules.ops._shared.operands import MOVABLE, Operands
from tinyml_rules.ops._shared.operator import Check, Meaning, Oracle


@dataclass(frozen=True)
class Gathering:
    """The elements as [batches, outer, *axes, inner], the indices as [batches, count, len(axes)],
    the output as [batches, outer, count, inner]."""

    source: Tensor
    indices: Tensor
    batches: int
    outer: int
    axes: tuple[int, ...]
    count: int
    inner: int


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct; `whole` is how many elements the axes have."""

    axes: Array
    depth: Int
    batches: Int
    outer: Int
    whole: Int
    count: Int
    inner: Int


def check_indices(tensor: Tensor, sizes: Sequence[int]) -> Iterator[str]:
    """Constant indices, in tuples, are within axes of these sizes."""
    if tensor.data is None:
        return
    rows = tensor.data.reshape(-1, len(sizes)).astype(np.int64)
    for size, column in zip(sizes, rows.T, strict=True):
        outside = column[(column < 0) | (column >= size)]
        if outside.size:
            yield f"indices tensor {tensor} has {outside[0]}, expected places below {size}"


def layout(view: NodeView, work: Gathering) -> tuple[Place, ...] | None:
    """The layout for constant indices; one list of places if each batch has its own indices."""
    if work.indices.data is None:
        return None
    tuples = work.indices.data.reshape(work.batches, work.count, len(work.axes))
    columns = tuple(np.moveaxis(tuples.astype(np.int64), -1, 0))
    rows: list[list[int]] = np.array(np.ravel_multi_index(columns, work.axes)).tolist()
    whole = math.prod(work.axes)
    shape: tuple[int, ...] = (work.outer, whole, work.inner)
    lists: list[Sequence[int]] = [range(work.outer), rows[0], range(work.inner)]
    if work.batches > 1:
        pairs = product(range(work.batches), range(work.outer))
        places = [(b * work.outer + o) * whole + row for b, o in pairs for row in rows[b]]
        shape = (work.batches * work.outer * whole, work.inner)
        lists = [places, range(work.inner)]
    return chosen(work.source, view.output, lists, shape=shape)


def _work(view: NodeView, work: Gathering) -> Work:
    """For a table in RAM, or a constant one, which is read where it is."""
    params: Any = Params(
        axes=np.array(work.axes, np.int32),
        depth=len(work.axes),
        batches=work.batches,
        outer=work.outer,
        whole=math.prod(work.axes) * work.inner,
        count=work.count,
        inner=work.inner,
    )
    inputs: tuple[int, ...] = (work.source.index, work.indices.index)
    if work.source.data is not None:
        params = with_values(params, work.source.data, work.source.dtype)
        inputs = (work.indices.index,)
    return Work(params=params, inputs=inputs, outputs=(view.output.index,))


def meanings(
    operands: Operands,
    check: Check,
    oracle: Oracle,
    gathering: Callable[[NodeView], Gathering],
    source: str = "input",
) -> tuple[Meaning, ...]:
    """One for each size of an element, and for a constant table, the operand `source`."""

    def meaning(dtype: DType, *, is_constant: bool) -> Meaning:
        kind = "constant" if is_constant else "elements"
        variant = elements_of(dtype, is_constant=is_constant)
        kernel = element_kernel(f"gather_{kind}", "gather", dtype, variant)

        def takes(view: NodeView) -> bool:
            table = view[source]
            is_like = element_words(table.dtype) == element_words(dtype)
            return is_like and (table.data is not None) == is_constant

        return Meaning(
            operands,
            oracle,
            lambda view: _work(view, gathering(view)),
            (kernel,),
            takes=takes,
            check=check,
        )

    kinds = {element_words(dtype): dtype for dtype in MOVABLE}.values()
    pairs = product(kinds, (False, True))
    return tuple(meaning(dtype, is_constant=is_constant) for dtype, is_constant in pairs)


def element_words(dtype: DType) -> tuple[Any, ...]:
    """The words for elements of a type that are only moved."""
    return dtype.size_bytes, dtype.is_real
