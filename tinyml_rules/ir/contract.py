"""What the C function of a kernel or a piece relies on, and what it keeps to.

Fields of params declare how many elements a table has and which values are in it or in a number, as
`Annotated` types; a kernel declares how many elements a unit of each operand has.  From these come
the contracts (ACSL) of the annotated C that `./tinyml prove` gives to Frama-C, and the check that
the params of a node keep to them.  Expressions are C over the members of the params.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import numpy as np

from tinyml_rules.ir.c_struct import Int8, Int32, members
from tinyml_rules.ir.rounding import Rounding


@dataclass(frozen=True)
class Elements:
    """How many elements a table has, such as `output_channels * input_channels`."""

    count: str


@dataclass(frozen=True)
class Between:
    """The least and the greatest value of a number, or of each element of a table."""

    least: int
    most: int


@dataclass(frozen=True)
class Pointer:
    """A pointer that a kernel is given: its parameter's name, the elements of a unit (of all, for a
    kernel without units), and their C type where the parameter is a pointer to void."""

    name: str
    elements: str = "1"
    c_type: str = ""
    is_whole: bool = False
    """Whether every unit has the same elements."""


@dataclass(frozen=True)
class RunningSums:
    """Form.ROWS: the pointer to its sums, of which there is one for each element of the output.  A
    sum is at most `most` in size before the first value, and `more` with every value, of which
    there are `values`; without them it may be any number.  A piece is a multiple of `step` values,
    but for a kernel that is given others."""

    name: str = "sums"
    most: int = 0
    more: int = 0
    values: str = ""
    step: str = "1"


@dataclass(frozen=True)
class Contract:
    """Of the C function of a kernel."""

    reads: tuple[Pointer, ...] = ()
    writes: Pointer = field(default_factory=lambda: Pointer("output"))
    requires: tuple[str, ...] = ()
    """What else holds of the params: conditions of C over their members."""
    result: tuple[str, str] | None = None
    """Least and greatest value of the output: numbers, or members of the params."""
    sums: RunningSums | None = None
    products: str = ""
    """How many products of two int8 values a sum has, in a kernel that can requantize as below."""
    is_bounded: bool = False
    """Whether sums are requantized in a form that takes small ones alone (`cores/finish.py`)."""


def rounded_contract(contract: Contract | None, own: Rounding, other: Rounding) -> Contract | None:
    """That of a kernel that requantizes in another form than its own, where it is known."""
    if contract is None or other in (own, Rounding.NEAREST):
        return contract
    is_known = other.is_of_bounded_sums and contract.products
    return replace(contract, is_bounded=True) if is_known else None


@dataclass(frozen=True)
class Declared:
    """What is declared of a member."""

    elements: str = ""
    """Of a table; empty where nothing is."""
    values: Between | None = None


BIAS_MOST = 2**30 - 2**17
"""The greatest size of a bias with which sums are proved to stay inside int32."""
PRODUCT_MOST = 2**14
"""The greatest size of a product of two int8 values."""
PRODUCTS_MOST = 2**16 - 1
"""The most products of two int8 values in such a sum."""
CLAMPS = "clamp_min <= clamp_max"
CLAMPED = ("clamp_min", "clamp_max")
"""The result of a kernel with both."""
Size = Between(1, 2**31 - 1)
"""A number of elements that are there."""
Products = Between(1, PRODUCTS_MOST)
"""How many products there are in a sum."""
Multipliers = Between(0, 2**31 - 1)
Shifts = Between(-31, 0)
"""TFLM's, of factors below 1."""
Biases = Between(-BIAS_MOST, BIAS_MOST)


HAS_COLUMNS = ("pad_left < window_width", "output_width * stride - stride - pad_left < input_width")
"""Each window has a column inside the image."""
Extent = Between(1, 2**30 - 1)
"""Of an image, a window or a step between two, in pixels or rows."""
Padding = Between(0, 2**30 - 1)
"""Pixels or rows in front of an image."""


Multiplier = Annotated[Int32, Multipliers]
Shift = Annotated[Int8, Shifts]
AnyShift = Annotated[Int8, Between(-31, 30)]
ProductShift = Annotated[Int8, Between(-31, 15)]
"""Of a product of two int8 values, or of one of int16."""
ValueShift = Annotated[Int8, Between(-31, 23)]
"""Of one int8 value without its zero point."""


def each_value(
    *reads: str, requires: tuple[str, ...] = (), result: tuple[str, str] | None = None
) -> Contract:
    """Of a kernel that makes a value of a value of each operand."""
    operands = tuple(map(Pointer, reads or ("input",)))
    return Contract(operands, Pointer("output"), requires, result)


def each_pixel(
    channels: str,
    outputs: str = "",
    *,
    in_values: bool = False,
    requires: tuple[str, ...] = (),
) -> Contract:
    """Of a kernel that makes a row of pixels of rows that are there or are null.  `in_values`: it
    counts columns in values, not in pixels."""
    step = f"(stride * {channels})" if in_values else "stride"
    sizes = [f"output_width * {step}", f"input_width * {channels}"]
    if in_values:
        sizes += [step, f"pad_left * {channels}", f"window_width * {channels}"]
    if outputs:
        sizes.append(f"output_width * {outputs}")
    return Contract(
        (Pointer("rows", channels),),
        Pointer("output", outputs or channels),
        (*(f"{each} <= {Extent.most}" for each in sizes), CLAMPS, *requires),
        CLAMPED,
    )


def declarations(params: Any) -> Mapping[str, Declared]:
    """{member: what its field declares} of a params dataclass or of an instance."""
    kind = params if isinstance(params, type) else type(params)
    assert is_dataclass(kind)
    hints = get_type_hints(kind, include_extras=True)
    return {each.name: _declared(hints[each.name]) for each in fields(kind)}


def _declared(hint: Any) -> Declared:
    found = Declared()
    for each in _annotations(hint):
        if isinstance(each, Elements):
            found = Declared(each.count, found.values)
        elif isinstance(each, Between):
            found = Declared(found.elements, each)
    return found


def _annotations(hint: Any) -> list[Any]:
    """All of them, of a union's members too."""
    inner = [each for part in get_args(hint) for each in _annotations(part)]
    return [*inner, *get_args(hint)[1:]] if get_origin(hint) is Annotated else inner


def outside(params: object) -> Iterator[str]:
    """What the values of a struct do not keep of what its fields declare."""
    has = list(members(params))
    numbers = {each.name: each.value for each in has if not each.is_table}
    for struct in (each for each in has if each.is_struct):
        numbers |= {f"{struct.name}.{each.name}": each.value for each in members(struct.value)}
    for member in has:
        told = declarations(params).get(member.name, Declared())
        if member.is_struct:
            yield from outside(member.value)
            continue
        values = np.asarray(member.value)
        if member.is_table and told.elements and values.size != _count(told.elements, numbers):
            yield f"{member.name} has {values.size} elements, expected {told.elements}"
        if told.values is None:
            continue
        if values.min() < told.values.least or values.max() > told.values.most:
            yield f"{member.name} is not between {told.values.least} and {told.values.most}"


def _count(product: str, numbers: Mapping[str, int]) -> int:
    """The value of a product of members and numbers."""
    factors = re.sub("[()]", "", product).split(" * ")
    return math.prod(int(each) if each.isdigit() else numbers[each] for each in factors)
