"""The operands of elementwise operators, for the kernels of `value_kernels.py`. Shapes that differ
are broadcast as in numpy.

A constant is read from flash. If the order of two inputs does not matter, `constant_last` makes the
constant the second one, which saves a kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, make_dataclass
from enum import Enum
from functools import cache
from typing import Annotated, Any, Generic, TypeVar

import numpy as np

from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.contract import Elements, Size
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.moves import dense_steps, merged_dimensions
from tinyml_rules.ops._shared.operands import int8
from tinyml_rules.ops._shared.pointwise import row_of

MOST_RANK = 5
"""Dimensions of the walk, after adjacent ones have been merged."""
MOST_FILE_RANK = 8
"""Of the shapes that TFLM broadcasts (`BroadcastBinaryOpSimple`)."""
SECOND: tuple[tuple[int, ...], ...] = ((1,),)
EITHER: tuple[tuple[int, ...], ...] = ((1,), (0,))
"""Positions of the constant operands, for each kernel of a binary operator."""
PAIR = 2
"""Operands of most operators."""
NAMES = ("first", "second", "third")


FIRST_AND_SECOND = ("first input", "second input")
INT8_PAIR = {"first input": int8(), "second input": int8(), "output": int8()}
"""Operands of most operators."""


@dataclass(frozen=True, eq=False)
class Walk:
    """Members of the C struct: a run of `count` values along the last dimension, in which an input
    steps by 1, or by 0 if it repeats; then its jumps at the ends of the outer dimensions, of
    `sizes` from the inner to the outer one."""

    sizes: Array
    first_jumps: Array
    second_jumps: Array
    rank: Int
    count: Int
    first_step: Int
    second_step: Int


@dataclass(frozen=True)
class Repeat:
    """Members of the C struct next to a table of `period` values, which is one unit."""

    period: Annotated[Int, Size]


@dataclass(frozen=True, eq=False)
class WalkOfThree(Walk):
    """The same over three inputs."""

    third_jumps: Array
    third_step: Int


class Access(Enum):
    """How a kernel steps through its operands."""

    EQUAL = "equal"
    """All operands are tensors of the output's shape."""
    BROADCAST = "broadcast"
    """By the members of `Walk`."""
    REPEATED = "repeated"
    """As EQUAL, with an operand that repeats after `Repeat.period` values: a constant, or a tensor
    that is `shared` by all units."""


Own = TypeVar("Own")


@dataclass(frozen=True)
class ValueFacts(Generic[Own]):
    """The facts of an elementwise node: how its operands are accessed, which of them are tables,
    and the params that are its operator's `own`."""

    access: Access
    constants: tuple[int, ...]
    own: Own
    shared: tuple[int, ...] = ()
    """The places of tensors that repeat, at most one."""


def constant_members(places: tuple[int, ...]) -> dict[int, str]:
    """Names of the members that hold constant operands."""
    if len(places) == 1:
        return {places[0]: "constant"}
    return {place: f"{NAMES[place]}_constant" for place in places}


def inputs_of(view: NodeView) -> tuple[Tensor, ...]:
    """All inputs, in the order of the file."""
    return tuple(view.input(place) for place in range(len(view.inputs)))


def constant_last(view: NodeView) -> tuple[Tensor, ...]:
    """The two inputs, a constant one second; of two tensors the smaller one."""
    first, second = inputs_of(view)
    is_smaller = not second.is_constant and first.count < second.count
    return (second, first) if first.is_constant or is_smaller else (first, second)


def has_single_constants(view: NodeView) -> bool:
    """Whether all inputs but one are constants of one value, so that the node maps that input."""
    constants = [tensor for tensor in inputs_of(view) if tensor.is_constant]
    return len(constants) == len(view.inputs) - 1 and all(each.count == 1 for each in constants)


def check_broadcast(view: NodeView, *, most_rank: int = MOST_FILE_RANK) -> Iterator[str]:
    """The inputs' shapes broadcast to the output's."""
    inputs = inputs_of(view)
    shapes = [tensor.shape for tensor in inputs]
    try:
        expected = tuple(np.broadcast_shapes(*shapes))
    except ValueError:
        yield f"shapes {' and '.join(str(list(shape)) for shape in shapes)} do not broadcast"
        return
    yield from constraints.shaped(view.output, expected)
    if len(set(shapes)) == 1:
        return
    dimensions = len(_dimensions(inputs, expected))
    if len(expected) > most_rank:
        yield f"broadcast over {len(expected)} dimensions, expected at most {most_rank}"
    elif dimensions > MOST_RANK:
        yield f"broadcast over {dimensions} dimensions, expected at most {MOST_RANK}"


def value_work(
    view: NodeView,
    operands: Sequence[Tensor],
    params: Own,
    *,
    constants: tuple[tuple[int, ...], ...],
) -> Work[ValueFacts[Own]]:
    """One unit is one value, or one period of an operand that repeats; with broadcasting, or with
    other tables, the whole tensor is one unit.

    `constants` are the combinations of operands that kernels can read as tables, and of two also
    as tensors that repeat; any other constant is copied into RAM."""
    places, shape = _tables_of(operands, constants), view.output.shape
    repeated = places or _repeated(operands, shape)
    repeated = repeated if repeated in constants else ()
    period = _period(operands, repeated, shape)
    shared = repeated if period > 1 and not places else ()
    access: Access = Access.EQUAL
    joined: object = params
    if period > 1:
        tables = _tables(operands, places)
        access = Access.REPEATED
        joined = _joined(params, _with_constants(Repeat, places)(period=period, **tables))
    elif places or len({each.shape for each in operands}) > 1:
        access, joined = Access.BROADCAST, _joined(params, _walk(operands, places, shape))
    return Work(
        params=joined,
        facts=ValueFacts(access, places, params, shared),
        inputs=tuple(each.index for place, each in enumerate(operands) if place not in places),
        outputs=(view.output.index,),
        units=view.output.count // period,
        chunk=row_of(shape) // period,
        shared=tuple(operands[place].index for place in shared),
    )


def _repeated(operands: Sequence[Tensor], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The place of the one tensor of two that does not have the output's shape."""
    places = tuple(place for place, each in enumerate(operands) if each.shape != shape)
    return places if (len(operands), len(places)) == (PAIR, 1) else ()


def _period(operands: Sequence[Tensor], places: tuple[int, ...], shape: tuple[int, ...]) -> int:
    """The period, in values, of the one operand of two at these places, if it repeats within each
    row and the other operand has the output's shape; else 1."""
    others = [each for place, each in enumerate(operands) if place not in places]
    if (len(operands), len(others)) != (PAIR, 1) or others[0].shape != shape:
        return 1
    (place,) = places
    *outer, (count, *steps) = _dimensions(operands, shape)
    is_run = steps[place] == 1 and all(step[1 + place] == 0 for step in outer)
    return count if is_run and row_of(shape) % count == 0 else 1


def _tables_of(
    operands: Sequence[Tensor], constants: tuple[tuple[int, ...], ...]
) -> tuple[int, ...]:
    """The largest combination of operands that are all constants."""
    possible = [all(operands[place].is_constant for place in places) for places in constants]
    fitting = [places for places, is_right in zip(constants, possible, strict=True) if is_right]
    return max(fitting, key=len, default=())


def _dimensions(operands: Sequence[Tensor], shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """(size, step of each operand) of each dimension that the walk has."""
    return merged_dimensions(shape, *(_steps(tensor, shape) for tensor in operands))


def _walk(operands: Sequence[Tensor], places: tuple[int, ...], shape: tuple[int, ...]) -> Walk:
    *outer, (count, *steps) = _dimensions(operands, shape)
    outer = outer[::-1] or [(1, *(0 for _ in operands))]
    members: dict[str, Any] = {
        "sizes": np.array([size for size, *_ in outer], np.int32),
        "rank": len(outer),
        "count": count,
    }
    for place, step in enumerate(steps):
        walked = [(size, jumps[place]) for size, *jumps in outer]
        members[f"{NAMES[place]}_jumps"] = _jumps(walked, count * step)
        members[f"{NAMES[place]}_step"] = step
    kind = WalkOfThree if len(operands) == len(NAMES) else Walk
    tables = _tables(operands, places)
    return _with_constants(kind, places)(**members, **tables)  # type: ignore[no-any-return]


def _tables(operands: Sequence[Tensor], places: tuple[int, ...]) -> dict[str, Array]:
    """The tables of the constant operands, by the names of their members."""
    return {name: _table(operands[place]) for place, name in constant_members(places).items()}


def _table(tensor: Tensor) -> Array:
    assert tensor.data is not None
    return tensor.data.view(np.uint8) if tensor.dtype is DType.BOOL else tensor.data


def _steps(tensor: Tensor, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The distance of an operand's elements along each dimension of the output; 0 where they
    repeat."""
    missing = len(shape) - len(tensor.shape)
    dense = zip(tensor.shape, dense_steps(tensor.shape), strict=True)
    return (0,) * missing + tuple(0 if size == 1 else step for size, step in dense)


def _jumps(outer: list[tuple[int, int]], walked: int) -> Array:
    """For each outer dimension, from the inner to the outer one: (size, jump), where the jump leads
    from the end of a run of `run` elements to the start of the next."""
    found = []
    for size, step in outer:
        found.append(step - walked)
        walked += step * (size - 1)
    return np.array(found, np.int32)


@cache
def _with_constants(kind: Any, places: tuple[int, ...]) -> Any:
    """The struct type with a table for each operand at these positions."""
    table = Annotated[Array, Elements("period")] if kind is Repeat else Array
    fields = [(name, table) for name in constant_members(places).values()]
    return make_dataclass(kind.__name__, fields, bases=(kind,), frozen=True, eq=False)


def _joined(params: object, walk: Walk | Repeat) -> object:
    """A struct with the members of both."""
    kinds: tuple[Any, ...] = (type(walk), type(params))
    return _both(kinds)(**vars(params), **vars(walk))


@cache
def _both(kinds: tuple[Any, ...]) -> Any:
    return make_dataclass(kinds[-1].__name__, (), bases=kinds, frozen=True, eq=False)
