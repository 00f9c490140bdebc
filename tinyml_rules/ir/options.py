"""An operator's options as the fields of a dataclass, each with its slot and type in the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Literal, Protocol, TypeVar, get_type_hints

Kind = Literal[
    "int8", "uint8", "int32", "uint32", "float32", "bool", "string", "int32[]", "uint8[]"
]

Attrs = TypeVar("Attrs")


class OptionTable(Protocol):
    """A table of the file."""

    def read(self, kind: Kind, slot: int, default: Any) -> Any:
        """The field in `slot`, or the default where the file leaves it out."""


@dataclass(frozen=True)
class NoOptions:
    """The attrs of an operator without options, or with none that matter."""


def option(slot: int, kind: Kind, default: Any = 0) -> Any:
    """A field of an options table of the schema; `default` is the schema's."""
    return field(default=default, metadata={"slot": slot, "kind": kind})


def decode(attrs: type[Attrs], table: OptionTable | None) -> Attrs:
    """The options of a node in the file; the defaults if it has no table."""
    if table is None:
        return attrs()
    found = {
        each.name: table.read(each.metadata["kind"], each.metadata["slot"], each.default)
        for each in fields(attrs)  # type: ignore[arg-type]
        if "slot" in each.metadata
    }
    return attrs(**found)


class WrongOptionsError(Exception):
    """The options of a custom operator do not match its attrs."""


@dataclass(frozen=True)
class OrderedOptions:
    """Base class of the attrs of a custom operator of which TFLM finds each option by its place
    among all, in alphabetical order: the file has these and no others."""


def decode_map(attrs: type[Attrs], values: Mapping[str, Any]) -> Attrs:
    """The options of a custom operator, which its file names; unknown names are left out, but of
    OrderedOptions.  A field without a default has to be there.  Raises WrongOptionsError."""
    found = {}
    if issubclass(attrs, OrderedOptions):
        _no_others(values, [each.name for each in fields(attrs)])
    kinds = get_type_hints(attrs)
    for each in fields(attrs):  # type: ignore[arg-type]
        if each.name in values:
            found[each.name] = _value(each.name, kinds[each.name], values[each.name])
        elif each.default is MISSING and each.default_factory is MISSING:
            raise WrongOptionsError(f"no option '{each.name}'")
    try:
        return attrs(**found)
    except Exception as error:  # what a user's dataclass says of its values
        raise WrongOptionsError(f"options that do not go together ({error})") from error


def _no_others(values: Mapping[str, Any], names: Sequence[str]) -> None:
    for other in sorted(values.keys() - names):
        if not names:
            raise WrongOptionsError(f"the option {other!r}, expected no options")
        known = ", ".join(map(repr, names))
        raise WrongOptionsError(f"the option {other!r}, expected {known} and no others")


def _value(name: str, kind: Any, value: Any) -> Any:
    """The value, if it has the field's type; an integer is accepted as a real number."""
    if kind is float and type(value) is int:
        return float(value)
    if kind in (bool, int, float, str) and type(value) is not kind:
        raise WrongOptionsError(f"the option '{name}' is {value!r}, expected {kind.__name__}")
    return value
