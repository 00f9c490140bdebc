"""The record of a kind of package: one ecosystem's layout, and its restrictions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from tinyml_rules.compiler import Compiled
from tinyml_rules.errors import UsageError
from tinyml_rules.package.order import Order
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import Target

Files = dict[str, str | bytes]
"""The files of a package, by path within it."""

Value = TypeVar("Value")


def as_requested(request: Request) -> Request:
    """The same."""
    return request


@dataclass(frozen=True)
class Kind:
    """`check` raises UsageError for an order that the ecosystem refuses; `files` fills it.

    `prepare` gives the request that is compiled, and raises UsageError for one that it refuses."""

    title: str
    check: Callable[[Order], None]
    files: Callable[[Order, Compiled], Files]
    prepare: Callable[[Request], Request] = as_requested


def of_family(target: Target, table: Mapping[str, Value]) -> Value | None:
    """The entry of `table` for a target, or else for the nearest of its families."""
    # not of the target it is like, which has another maker
    names = (folder.name for folder in target.file_folders)
    return next((table[name] for name in names if name in table), None)


def of_target(target: Target, table: Mapping[str, Value], *, ecosystem: str) -> Value:
    """The same; raises UsageError if there is none."""
    found = of_family(target, table)
    if found is not None:
        return found
    known = ", ".join(sorted(table))
    what = f"{ecosystem} has nothing for '{target.name}', expected a target or family of {known}"
    raise UsageError.at("target", what, hint="use --target, or `package c` for plain C")


def refuse_name(name: str, expected: str, *, ecosystem: str) -> None:
    """Raise the UsageError for a name that an ecosystem does not take."""
    what = f"'{name}' is not a valid name for {ecosystem}, expected {expected}"
    raise UsageError.at("name", what, hint="choose another one with --name")
