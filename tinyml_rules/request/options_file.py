"""The file of options next to a model: sine.tinyml.toml next to sine.tflite.

Every build system finds it by the model's path; a command line or a build file takes
precedence, option by option.  A table `[target.NAME]` has options for one target, which take
precedence over those above it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tinyml_rules.errors import UsageError, did_you_mean
from tinyml_rules.request.option import Kind
from tinyml_rules.request.options import OPTIONS
from tinyml_rules.system.tables import read_toml

OPTIONS_SUFFIX = ".tinyml.toml"
TARGET = "target"
"""The table of tables for single targets."""

_TYPES: dict[Kind, tuple[type | tuple[type, ...], str]] = {
    Kind.WORD: (str, "a string"),
    Kind.ENERGY: ((str, int, float), "a string such as '10 uJ', or a number of microjoules"),
    Kind.AMOUNT: ((str, int), "a whole number, or a string"),
    Kind.NUMBER: (int, "a whole number"),
    Kind.SWITCH: (bool, "true or false"),
    Kind.PAIRS: (list, "a list of strings"),
    Kind.FOLDERS: (list, "a list of strings"),
    Kind.FILE: (str, "a string"),
}


def options_file(model: Path) -> Path:
    """The path of a model's file of options, which need not exist."""
    return model.with_name(f"{model.stem}{OPTIONS_SUFFIX}")


def chosen_file(model: Path | None, named: str | Path | None) -> Path | None:
    """The file of options that counts: the named one, none for an empty name, and without a name
    the one next to a model's file, where it exists."""
    if named is not None:
        return Path(named) if str(named) else None
    beside = None if model is None else options_file(model)
    return beside if beside is not None and beside.exists() else None


def options_beside(model: Path, target: str = "") -> dict[str, Any]:
    """The options of the file next to a model; empty if there is none.  Raises UsageError."""
    file = options_file(model)
    return read_options(file, target) if file.exists() else {}


def read_options(
    file: Path, target: str = "", *, shown: str = "", folder: Path | None = None
) -> dict[str, Any]:
    """The options of a file for a target by name, as `Option.parse` gives them; raises UsageError
    for an unknown key or value.  `shown`: the file's name in errors; `folder`: the folder of its
    relative paths, if not its own."""
    where = shown or str(file)
    table = read_toml(file, shown=where)
    of_targets = {
        name: _values(values, f"{where} [{TARGET}.{name}]")
        for name, values in _targets(table.pop(TARGET, {}), where).items()
    }
    found = {**_values(table, where), **of_targets.get(target, {})}
    for key, value in found.items():
        if OPTIONS[key].kind is Kind.FOLDERS:
            found[key] = tuple((folder or file.parent) / each for each in value)
        elif OPTIONS[key].kind is Kind.FILE:
            found[key] = (folder or file.parent) / value
    return found


def options_text(values: Mapping[str, Any]) -> str:
    """A file with values by option, as `Request.chosen` has them."""
    # what JSON writes of words, numbers, switches and lists of words is TOML
    return "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())


def _targets(table: object, where: str) -> dict[str, dict[str, object]]:
    """The tables by target; a target that this machine does not have is none to complain of."""
    if isinstance(table, dict) and all(isinstance(each, dict) for each in table.values()):
        return table
    raise UsageError.at(where, f"'{TARGET}' is {table!r}, expected tables [{TARGET}.NAME]")


def _values(table: dict[str, object], where: str) -> dict[str, Any]:
    return {key: _value(key, value, where) for key, value in table.items()}


def _value(key: str, value: object, where: str) -> Any:
    if key not in OPTIONS:
        what = f"unknown key '{key}', expected one of {', '.join(OPTIONS)}"
        raise UsageError.at(where, what, hint=did_you_mean(key, OPTIONS))
    option = OPTIONS[key]
    expected, words = _TYPES[option.kind]
    types = expected if isinstance(expected, tuple) else (expected,)
    is_right = type(value) in types  # not isinstance: true is no number here
    if isinstance(value, list):
        is_right = is_right and all(type(item) is str for item in value)
    if not is_right:
        raise UsageError.at(where, f"'{key}' is {value!r}, expected {words}")
    return option.parse(value, f"{where} {key}")
