"""Operators of several tensors, value by value: shapes that differ are broadcast as in numpy.  One
loop walks over all of them; the operator brings the function of a value of each.

A constant is walked over where it lies, in flash.  Where the order of two inputs does not matter,
`constant_last` puts it second, so that there is one kernel less.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, make_dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.moves import dense_steps, merged_dimensions
from tinyml_rules.ops._shared.pointwise import row_of

MOST_RANK = 5
"""Of the walk, in which dimensions that lie side by side are one."""
MOST_FILE_RANK = 8
"""Of the shapes that TFLM broadcasts (`BroadcastBinaryOpSimple`)."""
SECOND: tuple[tuple[int, ...], ...] = ((1,),)
EITHER: tuple[tuple[int, ...], ...] = ((1,), (0,))
"""Which operands are constants, in the kernels of an operator of two."""
_NAMES = ("first", "second", "third")
_STEPS = ("step", "other_step", "third_step")
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

    constants: ClassVar[tuple[int, ...]] = ()
    """Which operands are tables among the members."""


@dataclass(frozen=True, eq=False)
class WalkOfThree(Walk):
    """The same over three inputs."""

    third_jumps: Array
    third_step: Int


@dataclass(frozen=True)
class Values:
    """The function of a value of each operand: the macro `value_function` of a `template`, which
    may use `words` too.  It `takes_params` where it has constants of its own."""

    template: str
    operands: tuple[str, ...] = ("int8_t", "int8_t")
    result: str = "int8_t"
    """C types."""
    takes_params: bool = True
    runtime: tuple[str, ...] = ()
    words: tuple[tuple[str, object], ...] = ()


def value_kernels(
    name: str, values: Values, *, constants: tuple[tuple[int, ...], ...] = SECOND
) -> tuple[Kernel, ...]:
    """The kernels of an operator of two or three: one for each choice of `constants`, one that
    broadcasts, and one for equal shapes."""
    return (
        *(_walking(name, values, places) for places in constants),
        _walking(name, values, ()),
        equal_shapes_kernel(name, values),
    )


def equal_shapes_kernel(name: str, values: Values) -> Kernel:
    """The kernel for tensors of the same shape, any number of them."""
    numbered = (f"input_{place}" for place in range(len(values.operands)))
    names = _NAMES if len(values.operands) <= len(_NAMES) else numbered
    operands = [
        {"name": called, "c_type": c_type}
        for called, c_type in zip(names, values.operands, strict=False)
    ]
    return Kernel(
        name=name,
        template=_KERNELS / "pairs.c.j2",
        form=Form.POINTWISE,
        is_in_place=True,
        runtime=values.runtime,
        values=_words(values, operands),
    )


def _walking(name: str, values: Values, places: tuple[int, ...]) -> Kernel:
    """The kernel that broadcasts, with constants in these places."""
    members = constant_members(places)
    operands = [
        {
            "name": _NAMES[place],
            "c_type": _table_type(c_type) if place in places else c_type,
            "constant": members.get(place, ""),
            "step": _STEPS[place],
        }
        for place, c_type in enumerate(values.operands)
    ]
    others = [_NAMES[place] for place in places if (len(values.operands), places) != (2, (1,))]
    what = ("Two tensors", "Three tensors")[len(operands) - 2]
    what += ("", ", one of them a constant,", ", two of them constants,")[len(places)]
    suffix = "_".join(("constant", *others)) if places else "broadcast"
    return Kernel(
        name=f"{name}_{suffix}",
        template=_KERNELS / "broadcast.c.j2",
        form=Form.WHOLE,
        when=lambda params: isinstance(params, Walk) and params.constants == places,
        runtime=values.runtime,
        values={**_words(values, operands), "what": what, "most_jumps": MOST_RANK - 1},
    )


def _words(values: Values, operands: Sequence[Mapping[str, str]]) -> dict[str, object]:
    """What the templates say."""
    computed = [each for each in operands if not each.get("constant")]
    return {
        **dict(values.words),
        "value": values.template,
        "operands": operands,
        "pointers": ", ".join(f"const {each['c_type']} *{each['name']}" for each in computed),
        "types": values.operands,
        "element": values.result,
        "params": "params, " if values.takes_params else "",
    }


def constant_members(places: tuple[int, ...]) -> dict[int, str]:
    """What the table of each operand is called that is a constant."""
    if len(places) == 1:
        return {places[0]: "constant"}
    return {place: f"{_NAMES[place]}_constant" for place in places}


def _table_type(c_type: str) -> str:
    """Tables of flags are bytes."""
    return "uint8_t" if c_type == "bool" else c_type


def inputs_of(view: NodeView) -> tuple[Tensor, ...]:
    """All inputs, in the order of the file."""
    return tuple(view.input(place) for place in range(len(view.inputs)))


def constant_last(view: NodeView) -> tuple[Tensor, ...]:
    """The two inputs, a constant one second."""
    first, second = inputs_of(view)
    return (second, first) if first.is_constant else (first, second)


def has_single_constants(view: NodeView) -> bool:
    """All inputs but one are constants of one value, so that that one alone decides."""
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
    params: object,
    *,
    constants: tuple[tuple[int, ...], ...],
) -> Work:
    """One unit is one value; with broadcasting, or with tables, the whole tensor at once.

    `constants` are the operands that the kernels can have as tables; another constant is brought
    into RAM like any input that is one."""
    places = _tables_of(operands, constants)
    if places or len({each.shape for each in operands}) > 1:
        params = _joined(params, _walk(operands, places, view.output.shape))
    return Work(
        params=params,
        inputs=tuple(each.index for place, each in enumerate(operands) if place not in places),
        outputs=(view.output.index,),
        units=view.output.count,
        chunk=row_of(view.output.shape),
    )


def _tables_of(
    operands: Sequence[Tensor], constants: tuple[tuple[int, ...], ...]
) -> tuple[int, ...]:
    """The greatest choice of which all are constants."""
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
        members[f"{_NAMES[place]}_jumps"] = _jumps(walked, count * step)
        members[f"{_NAMES[place]}_step"] = step
    kind = WalkOfThree if len(operands) == len(_NAMES) else Walk
    tables = {name: _table(operands[place]) for place, name in constant_members(places).items()}
    return _with_constants(kind, places)(**members, **tables)  # type: ignore[no-any-return]


def _table(tensor: Tensor) -> Array:
    assert tensor.data is not None
    return tensor.data.view(np.uint8) if tensor.dtype is DType.BOOL else tensor.data


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


@cache
def _with_constants(kind: Any, places: tuple[int, ...]) -> Any:
    """The kind of walk with a table for each operand in these places."""
    fields = [(name, Array) for name in constant_members(places).values()]
    namespace = {"constants": places}
    return make_dataclass(
        kind.__name__, fields, bases=(kind,), namespace=namespace, frozen=True, eq=False
    )


def _joined(params: object, walk: Walk) -> object:
    """The members of both."""
    kinds: tuple[Any, ...] = (type(walk), type(params))
    return _both(kinds)(**vars(params), **vars(walk))


@cache
def _both(kinds: tuple[Any, ...]) -> Any:
    return make_dataclass(kinds[-1].__name__, (), bases=kinds, frozen=True, eq=False)
