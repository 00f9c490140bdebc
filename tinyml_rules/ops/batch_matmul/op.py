"""BATCH_MATMUL: options, what may be wrong with a node, and how its matrices are walked.

Every output is the product of a row of the first matrix and a column of the second, both of which
are vectors of the same length.  A dot product is fastest on values side by side: the operand that
has them so, or a constant, which can be turned here, is the one of the `rows`, which stay where
they are.  The `vectors` are those of the other operand; each is copied side by side where its
values lie apart, once for all rows.

sum of (r - z_r) (v - z_v) = (sum of r v) - z_r (sum of v) - z_v (sum of (r - z_r)): the last term
is one number a row, the one before it one a vector.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tinyml_rules.arithmetic.fixed_point import INT8_MAX, INT8_MIN, quantize_multiplier
from tinyml_rules.ir.buffers import Scratch
from tinyml_rules.ir.c_struct import Int, Int8, Int32
from tinyml_rules.ir.condition import Condition
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.accumulate import beyond_int32
from tinyml_rules.ops._shared.operands import int8, real
from tinyml_rules.ops._shared.scales import product
from tinyml_rules.ops.batch_matmul.matrices import (
    Batches,
    Matrices,
    Shape,
    batches_of,
    matrices_of,
    result_shape,
)

RANKS = range(2, 6)
MOST_DEPTH = 2**15 - 1
"""Each of the terms of a sum is at most 2^14, and there are four for a product."""


@dataclass(frozen=True)
class Attrs:
    adj_x: bool = option(0, "bool", default=False)
    adj_y: bool = option(1, "bool", default=False)


@dataclass(frozen=True, eq=False)
class Steps(Batches):
    """Members of the C struct: of a matrix and of its output, how many `rows` and `vectors` of
    `depth` values there are, and how far apart they, their values and their outputs are."""

    depth: Int
    rows: Int
    row_step: Int
    row_element_step: Int
    row_place: Int
    vectors: Int
    vector_step: Int
    vector_element_step: Int
    vector_place: Int


@dataclass(frozen=True, eq=False)
class Params(Steps):
    """The same, with zero points and what sums are rescaled by."""

    row_zero_point: Int8
    vector_zero_point: Int8
    output_zero_point: Int8
    shift: Int8
    multiplier: Int32

    @property
    def is_strided(self) -> bool:
        """A row's values lie apart."""
        return self.row_element_step != 1

    @property
    def gathers(self) -> bool:
        """A vector is copied side by side."""
        return self.vector_element_step != 1 or self.is_strided

    is_constant: ClassVar[bool] = False
    """The rows are tables."""


@dataclass(frozen=True, eq=False)
class ConstantParams(Params):
    """The same with the rows of all matrices, and the number of each."""

    weights: Array
    biases: Array

    is_constant: ClassVar[bool] = True


def with_constant(*, is_constant: bool) -> Condition[Any]:
    """Of kernels for rows that are tables, or for two computed matrices."""
    return Condition(
        lambda params: params.is_constant == is_constant,
        "neither matrix is constant" if is_constant else "a matrix is constant",
    )


OPERANDS = {
    "first input": int8(ranks=RANKS),
    "second input": int8(ranks=RANKS),
    "output": int8(),
}
REAL_OPERANDS = {
    "first input": real(ranks=RANKS),
    "second input": real(ranks=RANKS),
    "output": real(),
}


def check(view: NodeView) -> Iterator[str]:
    """Matrices that go together, in batches that broadcast."""
    attrs, matrices = view.node.attrs, (view["first input"], view["second input"])
    assert isinstance(attrs, Attrs)
    yield from constraints.rescaling(matrices[0], view.output, weights=matrices[1])
    first, second = (matrix.shape for matrix in matrices)
    depth, other = first[-2 if attrs.adj_x else -1], second[-1 if attrs.adj_y else -2]
    if depth != other:
        yield f"rows of {depth} values times columns of {other}"
        return
    if depth > MOST_DEPTH:
        yield f"sums of {depth} products, expected at most {MOST_DEPTH}"
    shape = result_shape(view, attrs.adj_x, attrs.adj_y)
    if shape is None:
        yield f"batches {list(first[:-2])} and {list(second[:-2])} do not broadcast"
    else:
        yield from constraints.shaped(view.output, shape)


def macs(view: NodeView) -> int:
    """A product for each value of an output's row."""
    attrs, shape = view.node.attrs, view["first input"].shape
    if len(shape) not in RANKS:
        return 0
    return view.output.count * shape[-2 if getattr(attrs, "adj_x", False) else -1]


def prepare(view: NodeView) -> Work[Params]:
    """Everything that does not depend on the inputs' values."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    matrices = matrices_of(view, attrs.adj_x, attrs.adj_y)
    params = _params(view, matrices)
    rows, vectors = matrices.rows, matrices.vectors
    scratch = []
    if matrices.constant is None:
        scratch.append(Scratch(4 * params.rows, 4))
    if params.gathers:
        scratch.append(Scratch(params.depth))
    return Work(
        params=params,
        facts=params,
        inputs=(vectors.index,) if matrices.constant is not None else (rows.index, vectors.index),
        outputs=(view.output.index,),
        scratch=tuple(scratch),
        macs=macs(view),
        overflow=_overflow(view, params),
    )


def _params(view: NodeView, matrices: Matrices) -> Params:
    rows, vectors, result = matrices.rows, matrices.vectors, view.output
    multiplier, shift = quantize_multiplier(product(view, rows.scale, vectors.scale) / result.scale)
    params = Params(
        **vars(steps_of(matrices, result.shape)),
        row_zero_point=rows.zero_point,
        vector_zero_point=vectors.zero_point,
        output_zero_point=result.zero_point,
        shift=shift,
        multiplier=multiplier,
    )
    if matrices.constant is None:
        return params
    sums = (matrices.constant.astype(np.int64) - rows.zero_point).sum(axis=-1)
    biases = (-vectors.zero_point * sums).astype(np.int32)
    return ConstantParams(**vars(params), weights=matrices.constant, biases=biases)


def steps_of(matrices: Matrices, shape: Shape) -> Steps:
    """How the matrices are walked; `shape`: of the output."""
    batches, merged = batches_of(matrices, shape)
    depth, row_count = matrices.depth, matrices.row_count
    is_apart = matrices.constant is None and not matrices.has_dense_rows
    return Steps(
        **vars(batches),
        depth=depth,
        rows=row_count,
        row_step=1 if is_apart else depth,
        row_element_step=row_count if is_apart else 1,
        row_place=1 if matrices.rows_are_columns else matrices.vector_count,
        vectors=matrices.vector_count * merged,
        vector_step=depth if matrices.has_dense_vectors else 1,
        vector_element_step=1 if matrices.has_dense_vectors else matrices.vector_count,
        vector_place=row_count if matrices.rows_are_columns else 1,
    )


def _overflow(view: NodeView, params: Params) -> str:
    """The sums fit; what they are rescaled to may not."""
    first, second = (
        [end - tensor.zero_point for end in (INT8_MIN, INT8_MAX)]
        for tensor in (view["first input"], view["second input"])
    )
    products = [params.depth * one * other for one in first for other in second]
    return beyond_int32(
        np.array([min(products)]),
        np.array([max(products)]),
        params.multiplier,
        params.shift,
        zero_point=params.output_zero_point,
    )
