"""Reads target.toml files: checks every key, and lets a member inherit from its family, or take
over the core of another member.

Knows the shape of the file, not what a target is for.  Standard library only: the set-up
wrapper reads targets before any package is installed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from tinyml_rules.errors import TargetError, UsageError, did_you_mean
from tinyml_rules.system.tables import parsed_toml, toml_text
from tinyml_rules.target.keys import TARGET, Key, Keys

FILE_NAME = "target.toml"
MOST = 2**63 - 1
"""The largest whole number of a file, as TOML guarantees it."""

_NOT_INHERITED = ("description", "abstract", "parent", "like")
_OF_THE_PART = ("description", "abstract", "clock_hz", "memory", "power", "programmer")
"""Keys that a target does not inherit from the one it is `like`."""


class Merged(NamedTuple):
    """A target with all that it inherits."""

    table: dict[str, Any]
    folders: tuple[Path, ...]
    """The folders of all target.toml files merged into the table, the nearest first."""
    file_folders: tuple[Path, ...]
    """Those of them whose other files it has as well: not that of the target it is `like`."""


def target_folders(search: Sequence[Path]) -> dict[str, Path]:
    """Every folder under `search` with a target.toml, families too; the first of a name wins.

    Raises UsageError for a missing folder of `search`.
    """
    found: dict[str, Path] = {}
    for root in search:
        if not root.is_dir():
            beside = [each.name for each in root.parent.glob("*/") if not each.name.startswith(".")]
            what = "no such folder, expected one with a folder for each target"
            raise UsageError.at(str(root), what, hint=did_you_mean(root.name, beside))
        for file in sorted(root.glob(f"*/{FILE_NAME}")):
            found.setdefault(file.parent.name, file.parent)
    return found


def is_abstract(folder: Path) -> bool:
    """Whether the target in `folder` is a family, which cannot be built for."""
    return bool(read_file(folder).get("abstract", False))


def read_file(folder: Path) -> dict[str, Any]:
    """One target.toml as written, each key known and of the right type."""
    file = folder / FILE_NAME
    return deepcopy(_checked(toml_text(file, wrong=TargetError), str(file)))


@lru_cache(maxsize=64)
def _checked(text: str, where: str) -> dict[str, Any]:
    """The table of a text, which is asked for again with each model and each target of a family."""
    table = parsed_toml(text, where, wrong=TargetError)
    _check_table(table, TARGET, where=where)
    return table


def read_merged(name: str, folders: Mapping[str, Path]) -> Merged:
    """Target `name` with all that it inherits.

    A member's value replaces its family's; tables are merged and lists are appended to.
    """
    lineage, lending = [folders[name]], list[Path]()
    merged = _with_core(lineage, lending, folders)
    parent = merged.get("parent")
    while parent:
        where = str(lineage[-1] / FILE_NAME)
        if parent not in folders:
            hint = did_you_mean(parent, folders)
            raise TargetError.at(where, f"unknown parent '{parent}'", hint=hint)
        if folders[parent] in lineage:
            raise TargetError.at(where, f"target '{parent}' inherits from itself")
        lineage.append(folders[parent])
        family = _with_core(lineage, lending, folders)
        inherited = {key: family[key] for key in family if key not in _NOT_INHERITED}
        merged, parent = _merge(inherited, merged), family.get("parent")
    file_folders = tuple(folder for folder in lineage if folder not in lending)
    return Merged(merged, tuple(lineage), file_folders)


def _with_core(
    lineage: list[Path], lending: list[Path], folders: Mapping[str, Path]
) -> dict[str, Any]:
    """The last target of `lineage` with the core of the one that it is `like`, whose folder is
    appended to `lineage`, and to those that are `lending`."""
    table, where = read_file(lineage[-1]), str(lineage[-1] / FILE_NAME)
    if "like" not in table:
        return table
    name = table["like"]
    if "parent" in table:
        what = "found both 'like' and 'parent', expected one of them"
        raise TargetError.at(where, what, hint="'like' brings the other one's parent")
    if name not in folders:
        hint = did_you_mean(name, folders)
        raise TargetError.at(where, f"'like' names the unknown target '{name}'", hint=hint)
    other = read_file(folders[name])
    if "like" in other:
        what = f"'like' names '{name}', which is like '{other['like']}' itself"
        raise TargetError.at(where, what, hint=f"name '{other['like']}'")
    if other.get("abstract", False):
        what = f"'like' names '{name}', a family, expected a target"
        raise TargetError.at(where, what, hint="'parent' may name a family")
    core = {key: value for key, value in other.items() if key not in _OF_THE_PART}
    runner = dict(other.get("runner", {}))
    test_memory = runner.pop("memory", other.get("memory"))
    if test_memory and "machine" not in table.get("runner", {}):  # another one has its own memory
        runner["memory"] = test_memory
    core["runner"] = runner
    lineage.append(folders[name])
    lending.append(folders[name])
    return _over(core, table)


def _over(core: Mapping[str, Any], part: Mapping[str, Any]) -> dict[str, Any]:
    """Tables are merged; any other value of the part, lists too, replaces that of the core."""
    both = {key for key in part if isinstance(core.get(key), dict)}
    return {**core, **part, **{key: _over(core[key], part[key]) for key in both}}


def _merge(family: Mapping[str, Any], member: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(family)
    for key, value in member.items():
        inherited = family.get(key)
        if isinstance(inherited, dict):
            merged[key] = _merge(inherited, value)
        elif isinstance(inherited, list):
            merged[key] = [*inherited, *value]
        else:
            merged[key] = value
    return merged


def _check_table(table: Mapping[str, Any], keys: Keys, *, where: str, prefix: str = "") -> None:
    for key, value in table.items():
        name = prefix + key
        expected = keys.known.get(key, keys.others)
        if expected is None:
            hint = did_you_mean(key, keys.known)
            raise TargetError.at(where, f"unknown key '{name}'", hint=hint)
        kind = expected.kind if isinstance(expected, Key) else dict
        _check_type(value, kind, where=where, name=name)
        if isinstance(expected, Keys):
            _check_table(value, expected, where=where, prefix=f"{name}.")


def _check_type(value: object, expected: type, *, where: str, name: str) -> None:
    words = {
        str: "a string",
        bool: "true or false",
        dict: "a table",
        int: "a whole number",
        float: "a number",
    }
    right = type(value) is expected  # not isinstance: true is no number here
    right = right or (expected is float and type(value) is int)
    if isinstance(value, list):
        right = right and all(type(item) is str for item in value)
    elif isinstance(value, int | float):
        right = right and value >= 0
        if right and isinstance(value, int) and value > MOST:
            raise TargetError.at(where, f"'{name}' is too large, expected at most {MOST}")
    if not right:
        what = words.get(expected, "a list of strings")
        raise TargetError.at(where, f"'{name}' is {value!r}, expected {what}")
