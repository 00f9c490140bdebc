"""An operator's options as the fields of a dataclass, each with its slot and type in the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Protocol, TypeVar

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
    """Of an operator without options, or with none that matter."""


def option(slot: int, kind: Kind, default: Any = 0) -> Any:
    """A field of an options table of the schema; `default` is the schema's."""
    return field(default=default, metadata={"slot": slot, "kind": kind})


def decode(attrs: type[Attrs], table: OptionTable | None) -> Attrs:
    """The options that a node has in the file; the defaults where it has no table."""
    if table is None:
        return attrs()
    found = {
        each.name: table.read(each.metadata["kind"], each.metadata["slot"], each.default)
        for each in fields(attrs)  # type: ignore[arg-type]
        if "slot" in each.metadata
    }
    return attrs(**found)


def decode_map(attrs: type[Attrs], values: Mapping[str, Any]) -> Attrs:
    """The options of a custom operator, which its file names; unknown names are left out."""
    names = {each.name for each in fields(attrs)}  # type: ignore[arg-type]
    return attrs(**{name: value for name, value in values.items() if name in names})
