"""What reductions over some axes of a tensor share: the walk over it, and the kernels, to which an
operator brings the C of its total.

Adjacent dimensions that are both kept, or both reduced, are merged; those of 1 are dropped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from tinyml_rules.ir.c_struct import Int, Int32
from tinyml_rules.ir.contract import Contract, Elements, Size
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.axes import axes_of
from tinyml_rules.ops._shared.channels import Channels, same_channels
from tinyml_rules.ops._shared.moves import dense_steps
from tinyml_rules.ops._shared.operands import Operand, Operands, numbers

_MOST_DIMENSIONS = 4
"""Kept dimensions, and reduced ones: a tensor of rank 8 has no more after merging."""
_HELD_BY_INT32 = frozenset(("bool", "int8_t", "uint8_t", "int16_t", "int32_t"))


@dataclass(frozen=True)
class Attrs:
    """ReducerOptions."""

    keep_dims: bool = option(0, "bool", default=False)


@dataclass(frozen=True, eq=False)
class Walk:
    """Members of the C struct.

    `kept` and `reduced` have a size and a step, in values, for each dimension; there is at least
    one of each.  `cells` is the number of values in a total, `outputs` the number of totals.
    """

    kept: Annotated[Array, Elements("kept_rank * 2")]
    reduced: Annotated[Array, Elements("reduced_rank * 2")]
    kept_rank: Annotated[Int, Size]
    reduced_rank: Annotated[Int, Size]
    cells: Int32
    outputs: Annotated[Int, Size]


@dataclass(frozen=True, kw_only=True)
class Totals:
    """The C of a total: its type, its start value, the statement that adds a `{value}`, and the
    output's expression (`{p}`: the prefix of a piece's name)."""

    c_type: str
    start: str
    step: str
    result: str


@dataclass(frozen=True, kw_only=True)
class Reduction(Variant):
    """Words of the templates."""

    element: str
    """C type of a value."""
    totals: Totals
    """The C of a total."""


@dataclass(frozen=True, kw_only=True)
class WholeReduction(Reduction):
    """Words of the template of a whole tensor."""

    most_dimensions: int = _MOST_DIMENSIONS
    """Of the kept dimensions, and of the reduced ones."""


def reduced(source: Operand, result: Operand) -> Operands:
    """Operands with constant axes, and the output's shape that follows."""
    return {"input": source, "axis": numbers(), "output": replace(result, shape=_result_shape)}


def cells_of(view: NodeView) -> int:
    """The number of values in each total of a checked node."""
    return math.prod(view["input"].shape[axis] for axis in axes_of(view))


def _result_shape(view: NodeView) -> tuple[int, ...]:
    attrs, shape, axes = view.node.attrs, view["input"].shape, axes_of(view)
    assert isinstance(attrs, Attrs)
    if attrs.keep_dims:
        return tuple(1 if axis in axes else size for axis, size in enumerate(shape))
    return tuple(size for axis, size in enumerate(shape) if axis not in axes)


def channels(view: NodeView) -> Channels | None:
    """Each channel on its own, if channels are not reduced."""
    is_kept = len(view["input"].shape) - 1 not in axes_of(view)
    return same_channels(view) if is_kept else None


def walk_of(view: NodeView) -> Walk:
    """From the shape and the axes alone."""
    joined = _joined(view["input"].shape, axes_of(view))
    kept, reduced = (
        [(size, step) for size, step, is_reduced in joined if is_reduced == wanted] or [(1, 0)]
        for wanted in (False, True)
    )
    return Walk(
        kept=np.array(kept, np.int32),
        reduced=np.array(reduced, np.int32),
        kept_rank=len(kept),
        reduced_rank=len(reduced),
        cells=cells_of(view),
        outputs=view.output.count,
    )


def operands_of(view: NodeView) -> dict[str, Any]:
    """The fields of Work that do not depend on the totals."""
    kinds = [is_reduced for _, _, is_reduced in _joined(view["input"].shape, axes_of(view))]
    return {
        "inputs": (view["input"].index,),
        "outputs": (view.output.index,),
        # a piece of the input has values of all totals, or of the only one
        "sums": view.output.count if kinds in ([True], [True, False]) else 0,
    }


def _joined(shape: Sequence[int], axes: Sequence[int]) -> list[tuple[int, int, bool]]:
    """(size, step, whether it is reduced) of the dimensions, adjacent ones of one kind merged."""
    dimensions = zip(shape, dense_steps(shape), range(len(shape)), strict=True)
    long = [(size, step, axis in axes) for size, step, axis in dimensions if size > 1]
    found = []
    for is_reduced, group in groupby(long, key=lambda each: each[2]):
        members = list(group)
        found.append((math.prod(size for size, _, _ in members), members[-1][1], is_reduced))
    return found


def kernel(
    name: str,
    totals: Totals,
    *,
    element: str,
    runtime: tuple[str, ...] = (),
    contract: Contract | None = None,
) -> Kernel:
    """The kernel for a whole tensor of C elements, and one for pieces of it if a total is int32,
    with its contract."""
    folder = Path(__file__).parent / "kernels"
    in_rows = Kernel(
        name=f"{name}_rows",
        template=folder / "reduce_rows.c.j2",
        form=Form.ROWS,
        runtime=runtime,
        contract=contract,
        variant=Reduction(element=element, totals=totals),
    )
    return Kernel(
        name=name,
        template=folder / "reduce.c.j2",
        form=Form.WHOLE,
        runtime=runtime,
        in_rows=in_rows if totals.c_type in _HELD_BY_INT32 else None,
        variant=WholeReduction(element=element, totals=totals),
    )
