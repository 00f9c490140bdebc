"""Operators of two tensors, value by value, whose order does not matter: shapes that differ are
broadcast as in numpy.  One loop walks over both; the operator brings the function of two values.

An input that is a constant always comes second.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, make_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.moves import dense_steps, merged_dimensions
from tinyml_rules.ops._shared.pointwise import row_of

MOST_RANK = 5
_KERNELS = Path(__file__).parent / "kernels"


@dataclass(frozen=True, eq=False)
class Walk:
    """Members of the C struct: `count` values in a run along the last dimension, in which an input
    steps by 1, or by 0 where it repeats; then how far it jumps, over dimensions of `sizes` from the
    inner to the outer one."""

    sizes: Array
    first_jumps: Array
    second_jumps: Array
    rank: Int
    count: Int
    first_step: Int
    second_step: Int


@dataclass(frozen=True, eq=False)
class ConstantWalk(Walk):
    """The same with the second input's values."""

    constant: Array


def binary_kernels(
    name: str, value: str, *, element: str = "int8_t", runtime: tuple[str, ...] = ()
) -> tuple[Kernel, ...]:
    """The kernels of an operator on C elements of a type; `value` is the template whose macro
    `value_function` has its function of two values."""
    words: dict[str, str | int] = {"value": value, "element": element}

    def broadcasting(suffix: str, walk: type[Walk]) -> Kernel:
        return Kernel(
            name=f"{name}_{suffix}",
            template=_KERNELS / "broadcast.c.j2",
            form=Form.WHOLE,
            when=lambda params: isinstance(params, walk),
            runtime=runtime,
            values={**words, "has_constant": walk is ConstantWalk, "most_jumps": MOST_RANK - 1},
        )

    pairs = Kernel(
        name=name,
        template=_KERNELS / "pairs.c.j2",
        form=Form.POINTWISE,
        is_in_place=True,
        runtime=runtime,
        values=words,
    )
    return broadcasting("constant", ConstantWalk), broadcasting("broadcast", Walk), pairs


def operands(view: NodeView) -> tuple[Tensor, Tensor]:
    """The inputs, a constant one second."""
    first, second = view.input(0), view.input(1)
    return (second, first) if first.is_constant else (first, second)


def has_single_constant(view: NodeView) -> bool:
    """An input is a constant of one value, so that the other one alone decides."""
    return any(tensor.is_constant and tensor.count == 1 for tensor in operands(view))


def check_broadcast(view: NodeView) -> Iterator[str]:
    """The inputs' shapes broadcast to the output's."""
    first, second = view.input(0), view.input(1)
    try:
        expected = np.broadcast_shapes(first.shape, second.shape)
    except ValueError:
        yield f"shapes {list(first.shape)} and {list(second.shape)} do not broadcast"
        return
    yield from constraints.shaped(view.output, tuple(expected))
    if len(expected) > MOST_RANK and first.shape != second.shape:
        yield f"broadcast over {len(expected)} dimensions, expected at most {MOST_RANK}"


def binary_work(view: NodeView, params: object) -> Work:
    """One unit is one value; with broadcasting the whole tensor at once."""
    first, second = operands(view)
    if first.shape != second.shape or second.is_constant:
        params = _joined(params, _walk(first, second, view.output.shape))
    inputs = (first,) if second.is_constant else (first, second)
    return Work(
        params=params,
        inputs=tuple(tensor.index for tensor in inputs),
        outputs=(view.output.index,),
        units=view.output.count,
        chunk=row_of(view.output.shape),
    )


def _walk(first: Tensor, second: Tensor, shape: tuple[int, ...]) -> Walk:
    dimensions = merged_dimensions(shape, _steps(first, shape), _steps(second, shape))
    (*outer, (count, first_step, second_step)) = dimensions
    outer = outer[::-1] or [(1, 0, 0)]
    walk = Walk(
        sizes=np.array([size for size, *_ in outer], np.int32),
        first_jumps=_jumps([(size, step) for size, step, _ in outer], count * first_step),
        second_jumps=_jumps([(size, step) for size, _, step in outer], count * second_step),
        rank=len(outer),
        count=count,
        first_step=first_step,
        second_step=second_step,
    )
    if second.data is None:
        return walk
    return ConstantWalk(**vars(walk), constant=second.data)


def _steps(tensor: Tensor, shape: tuple[int, ...]) -> tuple[int, ...]:
    """How far apart its elements lie along the dimensions of the output; 0 where they repeat."""
    missing = len(shape) - len(tensor.shape)
    dense = zip(tensor.shape, dense_steps(tensor.shape), strict=True)
    return (0,) * missing + tuple(0 if size == 1 else step for size, step in dense)


def _jumps(outer: list[tuple[int, int]], walked: int) -> Array:
    """From the end of a run to where the next begins, once each dimension has ended that lies
    within: (size, step) from the inner to the outer one, behind a run of so many elements."""
    found = []
    for size, step in outer:
        found.append(step - walked)
        walked += step * (size - 1)
    return np.array(found, np.int32)


def _joined(params: object, walk: Walk) -> object:
    """The members of both."""
    kinds: tuple[Any, ...] = (type(walk), type(params))
    return _both(kinds)(**vars(params), **vars(walk))


@cache
def _both(kinds: tuple[Any, ...]) -> Any:
    return make_dataclass(kinds[-1].__name__, (), bases=kinds, frozen=True, eq=False)
