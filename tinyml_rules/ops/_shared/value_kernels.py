"""Kernels of elementwise operators: one loop for all of them, in which each operator has its
function of one value per operand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tinyml_rules.ir.c_struct import NoParams
from tinyml_rules.ir.condition import Condition
from tinyml_rules.ir.contract import Contract, Pointer
from tinyml_rules.ir.graph import NodeView, Tensor
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.words import ONLY, Variant
from tinyml_rules.ops._shared.broadcast import (
    EITHER,
    INT8_PAIR,
    MOST_RANK,
    NAMES,
    PAIR,
    Access,
    ValueFacts,
    check_broadcast,
    constant_members,
    inputs_of,
    value_work,
)
from tinyml_rules.ops._shared.operands import Operands
from tinyml_rules.ops._shared.operator import Check, Meaning, Oracle

Order = Callable[[NodeView], Sequence[Tensor]]
"""The order in which kernels take the inputs of a node."""

_STEPS = ("step", "other_step", "third_step")
_KERNELS = Path(__file__).parent / "kernels"


@dataclass(frozen=True)
class Values:
    """The function of one value per operand: the macro `value_function` of a `template`, whose own
    words are `function`. It `takes_params` if it has constants of its own."""

    template: str
    operands: tuple[str, ...] = ("int8_t", "int8_t")
    result: str = "int8_t"
    """C types."""
    takes_params: bool = True
    runtime: tuple[str, ...] = ()
    function: Variant = ONLY
    of_type: str = ""
    """End of the name of the piece of C that requantizes, for another result than int8."""
    contract: Contract | None = None  # without the operands, which a kernel has


@dataclass(frozen=True)
class Operand:
    """Words for an operand."""

    name: str
    """C name of its pointer."""
    c_type: str
    """C type of a value."""
    constant: str = ""
    """The member of the params that is its table; empty for a tensor."""
    is_shared: bool = False
    """Whether it is a tensor that begins anew with every unit."""
    step: str = ""
    """C name of its step along the last dimension."""

    @property
    def parameter(self) -> str:
        """C name of the parameter, of a tensor."""
        return f"{self.name}_values" if self.is_shared else self.name


@dataclass(frozen=True, kw_only=True)
class Walking(Variant):
    """Words of all templates: the operands and the function."""

    value: str
    """Template of the macro `value_function`, below ops/."""
    function: Variant
    operands: tuple[Operand, ...]
    """In the order of the function's parameters."""
    pointers: str
    """C parameters: a pointer to each operand that is a tensor."""
    types: tuple[str, ...]
    """C types of the function's parameters."""
    element: str
    """C type of an output value."""
    limits: str
    """Prefix of the limits of an integer output: `INT8` for INT8_MIN and INT8_MAX."""
    of_type: str
    """As Values has it."""
    params: str
    """First argument of the function, with a comma after it: `params, `, or empty without."""


@dataclass(frozen=True, kw_only=True)
class Repeating(Variant):
    """Words of the template of an operand that repeats."""

    walking: Walking
    what: str
    """The operands in the comment."""


@dataclass(frozen=True, kw_only=True)
class Broadcasting(Variant):
    """Words of the template that broadcasts."""

    repeating: Repeating
    most_jumps: int = MOST_RANK - 1
    """Dimensions but the last one."""


def value_meaning(
    name: str,
    values: Values,
    oracle: Oracle,
    *,
    takes: Callable[[NodeView], bool],
    operands: Operands = INT8_PAIR,
    check: Check = check_broadcast,
    params_of: Callable[[NodeView], object] = lambda _view: NoParams(),
    order: Order = inputs_of,
    constants: tuple[tuple[int, ...], ...] = EITHER,
) -> Meaning:
    """The meaning of an elementwise operator of two or three tensors; `constants` are the
    combinations of operands, in their `order`, that kernels can read as tables, and one of two also
    as a tensor that repeats with every unit."""
    return Meaning(
        takes=takes,
        operands=operands,
        check=check,
        oracle=oracle,
        prepare=lambda view: value_work(view, order(view), params_of(view), constants=constants),
        kernels=value_kernels(name, values, constants=constants),
    )


def value_kernels(
    name: str, values: Values, *, constants: tuple[tuple[int, ...], ...]
) -> tuple[Kernel, ...]:
    """The kernels of an operator of two or three tensors: for each combination of `constants` one
    that broadcasts, and for binary operators one whose constant repeats, and one whose tensor at
    that place does; and one for equal shapes."""
    one_of_two = constants if len(values.operands) == PAIR else ()
    return (
        *(_repeating(name, values, places) for places in one_of_two),
        *(_sharing(name, values, place) for (place,) in one_of_two),
        *(_walking(name, values, places) for places in constants),
        _walking(name, values, ()),
        equal_shapes_kernel(name, values),
    )


_OTHERWISE = {
    Access.EQUAL: "an operand is a constant, or broadcast",
    Access.BROADCAST: "no operand is broadcast, or a constant that does not repeat",
    Access.REPEATED: "no operand repeats within each row",
}

EQUAL_SHAPES = Condition[ValueFacts[Any]](
    lambda operands: operands.access is Access.EQUAL, _OTHERWISE[Access.EQUAL]
)


def _walked(access: Access, places: tuple[int, ...]) -> tuple[Condition[ValueFacts[Any]], ...]:
    """The condition for this access, with tables at these positions."""
    tables = " and ".join(f"the {NAMES[place]}" for place in places)
    return (
        Condition(lambda operands: operands.access is access, _OTHERWISE[access]),
        Condition(
            lambda operands: operands.constants == places,
            f"{tables} would have to be constant, and no other" if tables else "one is a constant",
        ),
    )


def equal_shapes_kernel(name: str, values: Values) -> Kernel:
    """The kernel for tensors of the same shape, any number of them."""
    numbered = (f"input_{place}" for place in range(len(values.operands)))
    names = NAMES if len(values.operands) <= len(NAMES) else numbered
    operands = [Operand(*each) for each in zip(names, values.operands, strict=False)]
    return Kernel(
        name=name,
        template=_KERNELS / "pairs.c.j2",
        form=Form.POINTWISE,
        is_in_place=True,
        can=(EQUAL_SHAPES,),
        runtime=values.runtime,
        variant=_walk(values, operands),
        contract=_contract(values, *(Pointer(each.name) for each in operands)),
    )


def _walking(name: str, values: Values, places: tuple[int, ...]) -> Kernel:
    """The kernel that broadcasts, with constants at these positions."""
    return Kernel(
        name=f"{name}_{_suffix('constant', values, places) if places else 'broadcast'}",
        template=_KERNELS / "broadcast.c.j2",
        form=Form.WHOLE,
        can=_walked(Access.BROADCAST, places),
        runtime=values.runtime,
        variant=Broadcasting(repeating=_repeat(values, places)),
    )


def _repeating(name: str, values: Values, places: tuple[int, ...]) -> Kernel:
    """The kernel whose constant repeats, at one of these positions."""
    return Kernel(
        name=f"{name}_{_suffix('repeated', values, places)}",
        template=_KERNELS / "repeated.c.j2",
        form=Form.POINTWISE,
        is_in_place=True,
        can=_walked(Access.REPEATED, places),
        runtime=values.runtime,
        variant=_repeat(values, places),
        contract=_contract(values, *_pointers(places, None), output="period"),
    )


def _sharing(name: str, values: Values, place: int) -> Kernel:
    """The kernel in which the tensor at this place repeats."""
    otherwise = f"the {NAMES[place]} is no tensor that repeats within each row"
    repeats = Condition[ValueFacts[Any]](lambda operands: operands.shared == (place,), otherwise)
    return Kernel(
        name=f"{name}_{_suffix('shared', values, (place,))}",
        template=_KERNELS / "repeated.c.j2",
        form=Form.POINTWISE,
        is_in_place=True,
        can=(*_walked(Access.REPEATED, ()), repeats),
        runtime=values.runtime,
        variant=_repeat(values, (), shared=place),
        contract=_contract(values, *_pointers((), place), output="period"),
    )


def _contract(values: Values, *reads: Pointer, output: str = "1") -> Contract | None:
    """The contract of a kernel with these operands."""
    own = values.contract
    return own and replace(own, reads=reads, writes=Pointer("output", output))


def _pointers(places: tuple[int, ...], shared: int | None) -> Iterator[Pointer]:
    """Of a pair of which one repeats, as a table or a tensor; units are periods."""
    for place, name in enumerate(NAMES[:PAIR]):
        if place == shared:
            yield Pointer(f"{name}_values", "period", is_whole=True)
        elif place not in places:
            yield Pointer(name, "period")


def _suffix(word: str, values: Values, places: tuple[int, ...]) -> str:
    """The suffix of a kernel's name, with the constant operands unless that is the second of
    two."""
    is_usual = (len(values.operands), places) == (PAIR, (1,))
    return "_".join((word, *(NAMES[place] for place in places if not is_usual)))


def _repeat(values: Values, places: tuple[int, ...], *, shared: int | None = None) -> Repeating:
    """The words of a kernel in which these operands are tables, and one is shared by all units."""
    members = constant_members(places)
    operands = [
        Operand(
            NAMES[place],
            _table_type(c_type) if place in places else c_type,
            constant=members.get(place, ""),
            is_shared=place == shared,
            step=_STEPS[place],
        )
        for place, c_type in enumerate(values.operands)
    ]
    what = ("Two tensors", "Three tensors")[len(operands) - PAIR]
    what += ("", ", one of them a constant,", ", two of them constants,")[len(places)]
    what += ", one of them shorter," if shared is not None else ""
    return Repeating(walking=_walk(values, operands), what=what)


def _walk(values: Values, operands: Sequence[Operand]) -> Walking:
    tensors = (each for each in operands if not each.constant)
    return Walking(
        value=values.template,
        function=values.function,
        operands=tuple(operands),
        pointers=", ".join(f"const {each.c_type} *{each.parameter}" for each in tensors),
        types=values.operands,
        element=values.result,
        of_type=values.of_type,
        limits=values.result.removesuffix("_t").upper(),
        params="params, " if values.takes_params else "",
    )


def _table_type(c_type: str) -> str:
    """Tables of flags are bytes."""
    return "uint8_t" if c_type == "bool" else c_type
