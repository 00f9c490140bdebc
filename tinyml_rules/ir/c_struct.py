"""The C types of the fields of a kernel's params: every field declares its type, and its value has
to be in the range of that type.  C structs, initialisers and tables are written from them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, make_dataclass, replace
from functools import cache
from typing import Annotated, Any, get_args, get_type_hints

import numpy as np

from tinyml_rules.ir.graph import Array


@dataclass(frozen=True)
class Integer:
    """A member of an integer type."""

    c_type: str
    minimum: int
    maximum: int


@dataclass(frozen=True)
class Real:
    """A member that is a float; the number has to be one of float32."""

    c_type: str = "float"


Int = Annotated[int, Integer("int", -(2**31), 2**31 - 1)]
"""A size or an index; `plan/int_range.py` refuses values that the target's `int` cannot hold."""
Int8 = Annotated[int, Integer("int8_t", -(2**7), 2**7 - 1)]
UInt8 = Annotated[int, Integer("uint8_t", 0, 2**8 - 1)]
Int16 = Annotated[int, Integer("int16_t", -(2**15), 2**15 - 1)]
UInt16 = Annotated[int, Integer("uint16_t", 0, 2**16 - 1)]
Int32 = Annotated[int, Integer("int32_t", -(2**31), 2**31 - 1)]
UInt32 = Annotated[int, Integer("uint32_t", 0, 2**32 - 1)]
Result = Annotated[
    int, Integer("int8_t", -(2**7), 2**7 - 1), Integer("int16_t", -(2**15), 2**15 - 1)
]
"""A value of the output's type: int8, or int16 where the number is a `Short`."""
Float32 = Annotated[float, Real()]

TABLE_TYPES = {
    name: "float" if name == "float32" else f"{name}_t"
    for name in (
        "int8",
        "uint8",
        "int16",
        "uint16",
        "int32",
        "uint32",
        "int64",
        "uint64",
        "float32",
    )
}
"""Element types of tables, by the name of numpy's."""


class Short(int):
    """A number of int16, for a member that could be of another type too."""


@dataclass(frozen=True)
class NoParams:
    """The params of a kernel without constants."""


@dataclass(frozen=True)
class Member:
    """A member of a struct: a number of `c_type`, the struct of a dataclass, or a pointer to a
    table of `c_type`."""

    name: str
    c_type: str
    value: Any

    @property
    def is_table(self) -> bool:
        return isinstance(self.value, np.ndarray)

    @property
    def is_struct(self) -> bool:
        return is_dataclass(self.value)


def members(params: object) -> Iterator[Member]:
    """The members of a params dataclass, but for those that are None; raises for a value outside
    its declared type, which is our own mistake."""
    kind: Any = type(params)
    declared = _declared(kind)
    for name in _names(kind):
        value = getattr(params, name)
        if value is None:
            continue
        if isinstance(value, np.ndarray):
            yield Member(name, TABLE_TYPES[str(value.dtype)], value)
        elif is_dataclass(value):
            yield Member(name, type(value).__name__.lower(), value)
        else:
            where = f"{kind.__name__}.{name}"
            assert name in declared, f"{where} declares no C type"
            number = declared[name][-1 if isinstance(value, Short) else 0]
            _check(where, number, value)
            yield Member(name, number.c_type, value)


def tables(params: object) -> dict[str, Array]:
    """The tables that a struct points to, by member."""
    kind: Any = type(params)
    values = ((name, getattr(params, name)) for name in _names(kind))
    return {name: value for name, value in values if isinstance(value, np.ndarray)}


def with_members(params: object, **values: object) -> object:
    """The same struct with other values of some members."""
    struct: Any = params
    changed: object = replace(struct, **values)
    return changed


def with_more_members(params: object, values: Mapping[str, Any]) -> object:
    """The same struct with other values of some members, and further ones of type `int`."""
    kind: Any = type(params)
    more = tuple(name for name in values if name not in vars(params))
    return _extended(kind, more)(**{**vars(params), **values})


@cache
def _extended(kind: type[Any], names: tuple[str, ...]) -> type[Any]:
    """A dataclass with further fields."""
    more = [(name, Int) for name in names]
    return make_dataclass(kind.__name__, more, bases=(kind,), frozen=True, eq=False)


@cache
def _names(params: type[Any]) -> tuple[str, ...]:
    """Of the fields."""
    return tuple(field.name for field in fields(params))


@cache
def _declared(params: type[Any]) -> dict[str, tuple[Integer | Real, ...]]:
    """The C types of each field that can be a number."""
    hints = get_type_hints(params, include_extras=True)
    found = {name: tuple(_kinds(hint)) for name, hint in hints.items()}
    return {name: kinds for name, kinds in found.items() if kinds}


def _kinds(hint: Any) -> Iterator[Integer | Real]:
    for each in get_args(hint):
        if isinstance(each, Integer | Real):
            yield each
        else:
            yield from _kinds(each)


def _check(name: str, kind: Integer | Real, value: Any) -> None:
    if isinstance(kind, Integer):
        assert isinstance(value, int | np.integer), f"{name} is {value!r}, expected an integer"
        assert kind.minimum <= value <= kind.maximum, f"{name} is {value}, outside {kind.c_type}"
        return
    assert isinstance(value, float | int | np.floating), f"{name} is {value!r}, expected a number"
    is_exact = math.isnan(value) or float(np.float32(value)) == float(value)
    assert is_exact, f"{name} is {value}, no float32"
