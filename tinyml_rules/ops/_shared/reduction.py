"""What the operators share that reduce a tensor over some of its axes to sums: MEAN and SUM.

Dimensions side by side that are both kept, or both reduced, are one here; those of 1 are none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np

from tinyml_rules.arithmetic.fixed_point import INT8_MAX, INT8_MIN, INT32_MAX
from tinyml_rules.ir.c_struct import Int, Int8, Int32
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.accumulate import beyond_int32
from tinyml_rules.ops._shared.axes import axes_of, check_axes
from tinyml_rules.ops._shared.moves import dense_steps

MOST_CELLS = INT32_MAX // (INT8_MAX - INT8_MIN)
_MOST_DIMENSIONS = 4
"""Of the kept ones, and of the reduced: a tensor of rank 8 has no more once they are joined."""


@dataclass(frozen=True)
class Attrs:
    """ReducerOptions."""

    keep_dims: bool = option(0, "bool", default=False)


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct.

    `kept` and `reduced` have a size and a step, in values, for each dimension; there is at least
    one of each.  `bias` is what the input's zero point makes of an empty sum; `cells` is how many
    values a sum has, and `outputs` how many sums there are."""

    kept: Array
    reduced: Array
    kept_rank: Int
    reduced_rank: Int
    cells: Int32
    outputs: Int
    bias: Int32
    multiplier: Int32
    shift: Int8
    output_zero_point: Int8


Multiplier = Callable[[NodeView, int], tuple[int, int]]
"""(multiplier, shift) of a node's sums, by the number of their values."""


def check(view: NodeView) -> Iterator[str]:
    """int8; constant axes; the output's shape; sums that int32 holds."""
    source, result = view.input(0), view.output
    yield from constraints.quantized(source, "input")
    yield from constraints.quantized(result, "output")
    yield from constraints.rescaling(source, result)
    problems = list(check_axes(view))
    yield from problems
    if problems:
        return
    yield from constraints.shaped(result, _result_shape(view))
    cells = math.prod(source.shape[axis] for axis in axes_of(view))
    if cells > MOST_CELLS:
        yield (
            f"a sum over input tensor {source} has {cells} values, expected at most {MOST_CELLS}, "
            "of which int32 holds the sum"
        )


def _result_shape(view: NodeView) -> tuple[int, ...]:
    attrs, shape, axes = view.node.attrs, view.input(0).shape, axes_of(view)
    assert isinstance(attrs, Attrs)
    if attrs.keep_dims:
        return tuple(1 if axis in axes else size for axis, size in enumerate(shape))
    return tuple(size for axis, size in enumerate(shape) if axis not in axes)


def preparing(multiplier_of: Multiplier) -> Callable[[NodeView], Work]:
    """The operator's `prepare`."""
    return lambda view: _prepare(view, multiplier_of)


def _prepare(view: NodeView, multiplier_of: Multiplier) -> Work:
    source, result, axes = view.input(0), view.output, axes_of(view)
    joined = _joined(source.shape, axes)
    kept, reduced = (
        [(size, step) for size, step, is_reduced in joined if is_reduced == wanted] or [(1, 0)]
        for wanted in (False, True)
    )
    cells = math.prod(size for size, _ in reduced)
    multiplier, shift = multiplier_of(view, cells)
    params = Params(
        kept=np.array(kept, np.int32),
        reduced=np.array(reduced, np.int32),
        kept_rank=len(kept),
        reduced_rank=len(reduced),
        cells=cells,
        outputs=result.count,
        bias=-cells * source.zero_point,
        multiplier=multiplier,
        shift=shift,
        output_zero_point=result.zero_point,
    )
    kinds = [is_reduced for _, _, is_reduced in joined]
    least, most = (np.array([cells * (end - source.zero_point)]) for end in (INT8_MIN, INT8_MAX))
    return Work(
        params=params,
        inputs=(source.index,),
        outputs=(result.index,),
        # a piece of the input has values of every sum, or of the only one
        sums=result.count if kinds in ([True], [True, False]) else 0,
        overflow=beyond_int32(least, most, multiplier, shift, zero_point=result.zero_point),
    )


def _joined(shape: Sequence[int], axes: Sequence[int]) -> list[tuple[int, int, bool]]:
    """(size, step, whether it is reduced) of the dimensions, neighbours of a kind as one."""
    dimensions = zip(shape, dense_steps(shape), range(len(shape)), strict=True)
    long = [(size, step, axis in axes) for size, step, axis in dimensions if size > 1]
    found = []
    for is_reduced, group in groupby(long, key=lambda each: each[2]):
        members = list(group)
        found.append((math.prod(size for size, _, _ in members), members[-1][1], is_reduced))
    return found


def kernel(name: str) -> Kernel:
    """The kernel for a whole tensor, and the same in pieces."""
    folder = Path(__file__).parent / "kernels"
    in_rows = Kernel(
        name=f"{name}_rows",
        template=folder / "reduce_rows.c.j2",
        form=Form.ROWS,
        runtime=("requantize",),
    )
    return Kernel(
        name=name,
        template=folder / "reduce.c.j2",
        form=Form.WHOLE,
        runtime=("requantize",),
        in_rows=in_rows,
        values={"most_dimensions": _MOST_DIMENSIONS},
    )
