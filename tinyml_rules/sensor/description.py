"""The file that describes a model's sensor and decisions: `accelerometer.toml`.

`[input]` describes the raw values of a sensor, `[output]` the decisions; `[input.NAME]` and
`[output.NAME]` those of a model with several, by the names of its tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TypeVar

from tinyml_rules.errors import UsageError
from tinyml_rules.sensor.named import ONLY
from tinyml_rules.sensor.output import Output, label_files, read_output
from tinyml_rules.sensor.raw_input import RawInput, read_input
from tinyml_rules.sensor.table import Table
from tinyml_rules.system.tables import read_toml

_Of = TypeVar("_Of")


@dataclass(frozen=True)
class Description:
    """Inputs and outputs by tensor, or by ONLY; `where` is the file, for messages."""

    where: str
    inputs: Mapping[str, RawInput]
    outputs: Mapping[str, Output]


def read_description(path: Path) -> Description:
    """The description in a file; raises UsageError for one that cannot be read, and for all
    problems that do not depend on the model."""
    whole = _read(path)
    whole.check_known(("input", "output"))
    if not whole.values:
        raise UsageError.at(whole.where, "describes nothing, expected [input] or [output]")
    return Description(
        whole.where,
        _by_tensor(whole, "input", read_input),
        _by_tensor(whole, "output", read_output),
    )


def described_files(path: Path) -> tuple[Path, ...]:
    """The description and the files that it names; only the description if it is broken."""
    try:
        tables = _tables(_read(path), "output").values()
    except UsageError:
        return (path,)
    return (path, *(file for table in tables for file in label_files(table)))


def _read(path: Path) -> Table:
    """All that is in a file."""
    return Table(read_toml(path, parse_float=Decimal), str(path), path.parent)


def _by_tensor(whole: Table, role: str, read: Callable[[Table], _Of]) -> dict[str, _Of]:
    """The contents of the tables of a role: a single one, or one per tensor."""
    return {name: read(table) for name, table in _tables(whole, role).items()}


def _tables(whole: Table, role: str) -> dict[str, Table]:
    if role not in whole.values:
        return {}
    found, where = whole.values[role], whole.where
    if not isinstance(found, dict):
        whole.refuse(role, f"a table [{role}]")
    if found and all(isinstance(each, dict) for each in found.values()):
        return {
            name: Table(each, f"{where} [{role}.{name}]", whole.folder)
            for name, each in found.items()
        }
    return {ONLY: Table(found, f"{where} [{role}]", whole.folder)}
