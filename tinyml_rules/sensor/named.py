"""Finds the tensor of a model that a table of a description names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from tinyml_rules.errors import UsageError, did_you_mean

ONLY = ""
"""In the place of a tensor's name: the model's only input or output."""
Described = TypeVar("Described")


def described(tensor: str, tables: Mapping[str, Described]) -> Described | None:
    """What the table of a tensor says, or that of the only one; None without any."""
    return tables.get(tensor, tables.get(ONLY))


def position_of(name: str, names: Sequence[str], *, role: str, where: str, hint: str = "") -> int:
    """The position of a tensor among the names of all inputs or outputs, as `role` says; `hint`:
    how to distinguish several.  Raises UsageError for a name that no tensor has, or several."""
    listed = ", ".join(f"'{each}'" for each in names)
    if name == ONLY and len(names) == 1:
        return 0
    if name == ONLY:
        what = f"the model has {len(names)} {role}s, expected the name of one: {listed}"
        raise UsageError.at(where, what, hint=hint)
    if name not in names:
        what = f"no {role} of the model is called '{name}', expected one of {listed}"
        raise UsageError.at(where, what, hint=did_you_mean(name, names))
    if names.count(name) > 1:
        raise UsageError.at(where, f"{names.count(name)} {role}s of the model are called '{name}'")
    return names.index(name)
