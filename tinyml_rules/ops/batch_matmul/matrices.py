"""Which operand of a BATCH_MATMUL has the rows and which the vectors, and how both are walked from
batch to batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ops._shared.moves import dense_steps, merged_dimensions

Shape = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Batches:
    """Members of the C struct: dimensions of batches from the inner to the outer one; how far the
    rows (in rows) and the vectors (in values) jump once each dimension has ended that lies within.
    """

    sizes: Array
    row_jumps: Array
    vector_jumps: Array
    rank: Int


@dataclass(frozen=True, eq=False)
class Matrices:
    """`rows_are_columns`: the rows are the columns of the second matrix, else the rows of the
    first.  `constant` has the values of the rows, side by side, if they are known."""

    rows: Tensor
    vectors: Tensor
    row_count: int
    vector_count: int
    depth: int
    rows_are_columns: bool
    has_dense_rows: bool
    has_dense_vectors: bool
    constant: Array | None


def result_shape(view: NodeView, adj_x: bool, adj_y: bool) -> Shape | None:
    """None where the batches do not broadcast."""
    first, second = view["first input"].shape, view["second input"].shape
    try:
        batches = np.broadcast_shapes(first[:-2], second[:-2])
    except ValueError:
        return None
    return (*batches, first[-1 if adj_x else -2], second[-2 if adj_y else -1])


def matrices_of(view: NodeView, adj_x: bool, adj_y: bool) -> Matrices:
    """The rows are those of a constant, or else of an operand that has them side by side; of two
    such, the columns of the second, whose outputs lie side by side too."""
    first, second = view["first input"], view["second input"]
    of_first = (first, not adj_x)
    of_second = (second, adj_y)
    has_constant = first.is_constant or second.is_constant
    rows_are_columns = second.is_constant if has_constant else adj_y
    (rows, has_dense_rows), (vectors, has_dense_vectors) = (
        (of_second, of_first) if rows_are_columns else (of_first, of_second)
    )
    row_count, depth = rows.shape[-2:] if has_dense_rows else rows.shape[:-3:-1]
    vector_count = vectors.shape[-2 if has_dense_vectors else -1]
    constant = rows.data
    if constant is not None and not has_dense_rows:
        constant = np.ascontiguousarray(constant.swapaxes(-1, -2))
    return Matrices(
        rows=rows,
        vectors=vectors,
        row_count=row_count,
        vector_count=vector_count,
        depth=depth,
        rows_are_columns=rows_are_columns,
        has_dense_rows=has_dense_rows,
        has_dense_vectors=has_dense_vectors or depth == 1,
        constant=constant,
    )


def batches_of(matrices: Matrices, result: Shape) -> tuple[Batches, int]:
    """The walk, and how many matrices of vectors are taken as one with so many more vectors: those
    that meet the same rows, and whose outputs follow one another."""
    sizes = result[:-2]
    row_steps = _steps(matrices.rows.shape, len(sizes), matrices.row_count)
    per_matrix = matrices.vector_count * matrices.depth
    vector_steps = _steps(matrices.vectors.shape, len(sizes), per_matrix)
    outer = merged_dimensions(sizes, row_steps, vector_steps)
    merged = 1
    count, row_step, vector_step = outer[-1]
    follow = matrices.rows_are_columns and matrices.has_dense_vectors
    if follow and row_step == 0 and vector_step == per_matrix:
        merged = count
        outer = outer[:-1]
    outer = outer[::-1] or [(1, 0, 0)]
    batches = Batches(
        sizes=np.array([size for size, *_ in outer], np.int32),
        row_jumps=_jumps([(size, step) for size, step, _ in outer]),
        vector_jumps=_jumps([(size, step) for size, _, step in outer]),
        rank=len(outer),
    )
    return batches, merged


def _steps(shape: Shape, rank: int, per_matrix: int) -> Shape:
    """From batch to batch, along the dimensions of the output; 0 where a matrix repeats."""
    batches = shape[:-2]
    dense = zip(batches, dense_steps(batches), strict=True)
    steps = tuple(0 if size == 1 else step * per_matrix for size, step in dense)
    return (0,) * (rank - len(batches)) + steps


def _jumps(outer: Sequence[tuple[int, int]]) -> Array:
    """From the last batch within a dimension to the next along it: (size, step) from the inner to
    the outer one."""
    found, walked = [], 0
    for size, step in outer:
        found.append(step - walked)
        walked += step * (size - 1)
    return np.array(found, np.int32)
