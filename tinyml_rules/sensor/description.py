"""The file that describes a model's sensor and decisions: `accelerometer.toml`.

`[input]` describes the raw values of a sensor, `[output]` the decisions; `[input.NAME]` and
`[output.NAME]` those of a model with several, by the names of its tensors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from tinyml_rules.errors import UsageError
from tinyml_rules.sensor.microfrontend import (
    Microfrontend,
    is_microfrontend,
    read_microfrontend,
)
from tinyml_rules.sensor.named import ONLY
from tinyml_rules.sensor.output import Output, label_files, read_output
from tinyml_rules.sensor.raw_input import RawInput, read_input
from tinyml_rules.sensor.table import Table
from tinyml_rules.system.tables import read_toml


@dataclass(frozen=True)
class Description:
    """Inputs and outputs by tensor, or by ONLY; `where` is the file, for messages."""

    where: str
    inputs: Mapping[str, RawInput]
    outputs: Mapping[str, Output]
    microphones: Mapping[str, Microfrontend] = field(default_factory=dict)
    """Inputs that take features; at most one."""


def read_description(path: Path) -> Description:
    """The description in a file; raises UsageError for one that cannot be read, and for all
    problems that do not depend on the model."""
    whole = _read(path)
    whole.check_known(("input", "output"))
    if not whole.values:
        raise UsageError.at(whole.where, "describes nothing, expected [input] or [output]")
    inputs = _tables(whole, "input")
    heard = {name: table for name, table in inputs.items() if is_microfrontend(table)}
    if len(heard) > 1:
        what = f"{len(heard)} inputs with 'features', expected one microphone"
        raise UsageError.at(whole.where, what)
    return Description(
        whole.where,
        {name: read_input(table) for name, table in inputs.items() if name not in heard},
        {name: read_output(table) for name, table in _tables(whole, "output").items()},
        {name: read_microfrontend(table) for name, table in heard.items()},
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


def _tables(whole: Table, role: str) -> dict[str, Table]:
    """The tables of a role: a single one, or one per tensor."""
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
