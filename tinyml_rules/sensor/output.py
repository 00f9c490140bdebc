"""`[output]` of a description: what is decided by a model's output."""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.sensor.table import Table


@dataclass(frozen=True)
class Output:
    """The decision of one output; `where` is what an error calls the table."""

    where: str


def read_output(table: Table) -> Output:
    """What an `[output]` table says; raises UsageError."""
    table.check_known(())
    return Output(table.where)
