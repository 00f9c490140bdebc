"""Frozen dataclasses as JSON and back: a field is a key of the same name, in the same order.

A field that has a default is left out where it has that, and may be missing.  The keys of a FLAT
one are among those of its owner.  The docstring below a field says what its key means.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, ClassVar, Protocol, TypeVar, get_args, get_origin, get_type_hints

_FLAT = "flat"
FLAT = {_FLAT: True}
"""Metadata of a field, None by default, whose record has no key of its own."""
_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}


class Record(Protocol):
    """Any dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


_Of = TypeVar("_Of", bound=Record)


class WrongRecordError(ValueError):
    """JSON that is none of a record; `missing`: the key that is not there, if that is it."""

    def __init__(self, text: str, *, missing: str = "") -> None:
        super().__init__(text)
        self.missing = missing


def to_json(record: Record) -> dict[str, Any]:
    """What `json` writes of a record."""
    found: dict[str, Any] = {}
    for each in fields(record):
        value = getattr(record, each.name)
        if each.default is not MISSING and value == each.default:
            continue
        if _FLAT in each.metadata:
            found.update(to_json(value))
        else:
            found[each.name] = _data(value)
    return found


def _data(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return to_json(value)
    if isinstance(value, Mapping):
        return {name: _data(each) for name, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_data(each) for each in value]
    return value.value if isinstance(value, Enum) else value


def from_json(kind: type[_Of], data: object, where: str = "") -> _Of:
    """The record of a kind that `json` read, other keys are left alone; raises
    WrongRecordError.  `where`: the keys that lead to it."""
    if not isinstance(data, dict):
        raise WrongRecordError(f"{_named(where)} is no object")
    values: dict[str, object] = {}
    for each in fields(kind):
        wanted = _hints(kind)[each.name]
        path = f"{where}.{each.name}" if where else each.name
        if _FLAT in each.metadata:
            inner = _alternative(wanted)
            if any(name in data for name in _required(inner)):
                values[each.name] = from_json(inner, data, where)
        elif each.name in data:
            values[each.name] = _value(wanted, data[each.name], path)
        elif each.default is MISSING:
            raise WrongRecordError(f"'{path}' is missing", missing=path)
    return kind(**values)


def _value(kind: Any, data: object, where: str) -> object:
    origin, inner = get_origin(kind), get_args(kind)
    if origin is UnionType:
        return None if data is None else _value(_alternative(kind), data, where)
    if origin is tuple:
        if not isinstance(data, list):
            raise WrongRecordError(f"{_named(where)} is no list")
        return tuple(_value(inner[0], each, f"{where}[{at}]") for at, each in enumerate(data))
    if origin is Mapping:
        if not isinstance(data, dict):
            raise WrongRecordError(f"{_named(where)} is no object")
        return {name: _value(inner[1], each, f"{where}.{name}") for name, each in data.items()}
    is_record = is_dataclass(kind) and isinstance(kind, type)
    return from_json(kind, data, where) if is_record else _plain(kind, data, where)


def _plain(kind: type, data: object, where: str) -> object:
    """A number, a text, a member of an enumeration; anything where the kind is object."""
    if issubclass(kind, Enum):
        if data not in [each.value for each in kind]:
            raise WrongRecordError(f"{_named(where)} is none of {', '.join(map(str, kind))}")
        return kind(data)
    if kind is not object and type(data) is not kind and (kind, type(data)) != (float, int):
        raise WrongRecordError(f"{_named(where)} is not {_KINDS[kind]}")
    return data


def _named(where: str) -> str:
    return f"'{where}'" if where else "it"


def _alternative(kind: Any) -> Any:
    """Of `X | None` the X."""
    (found,) = (each for each in get_args(kind) if each is not NoneType)
    return found


@cache
def _hints(kind: type[Record]) -> dict[str, Any]:
    return get_type_hints(kind)


@cache
def _required(kind: type[Record]) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind) if each.default is MISSING)


def keys_of(kind: type[Record], before: str = "") -> Iterator[tuple[str, str]]:
    """Each key that such a record may have, from the outermost on, with what it means: `a.b` is a
    key inside of another, `a[].b` one of each element of a list, and `.*` any name."""
    told = docstrings_of(kind)
    for each in fields(kind):
        if _FLAT in each.metadata:
            continue
        wanted, path = _hints(kind)[each.name], f"{before}{each.name}"
        wanted = _alternative(wanted) if get_origin(wanted) is UnionType else wanted
        if get_origin(wanted) is tuple and is_dataclass(get_args(wanted)[0]):
            wanted, path = get_args(wanted)[0], f"{path}[]"
        if get_origin(wanted) is Mapping:
            yield f"{path}.*", told[each.name]
        elif is_dataclass(wanted) and isinstance(wanted, type) and each.name not in told:
            yield from keys_of(wanted, f"{path}.")
        else:
            yield f"{path}.*" if is_dataclass(wanted) else path, told[each.name]


def docstrings_of(kind: type) -> dict[str, str]:
    """By field, those of the classes that it is made from too."""
    found: dict[str, str] = {}
    for each in reversed([each for each in kind.__mro__ if is_dataclass(each)]):
        (tree,) = ast.parse(inspect.cleandoc(inspect.getsource(each))).body
        assert isinstance(tree, ast.ClassDef)
        for line, below in zip(tree.body, tree.body[1:], strict=False):
            match line, below:
                case ast.AnnAssign(target=ast.Name(name)), ast.Expr(ast.Constant(str(text))):
                    found[name] = " ".join(text.split())
    return found
