"""A report from a file, of this version."""

from __future__ import annotations

from pathlib import Path

from tinyml_rules.errors import UsageError
from tinyml_rules.ir.c_names import is_c_name
from tinyml_rules.reporting.record import WrongRecordError, from_json
from tinyml_rules.reporting.report import Report
from tinyml_rules.system.tables import read_json


def read_report(file: Path) -> Report:
    """The report in a file; UsageError for one that is none, or is that of another version."""
    return report_of(read_json(file), str(file))


def report_of(found: object, where: str) -> Report:
    """The report that JSON holds; `where`: what an error names."""
    if not isinstance(found, dict) or not {"model", "model_sha256"} <= found.keys():
        raise UsageError.at(where, "is not a report, expected a NAME.report.json")
    if not is_c_name(str(found["model"])):
        raise UsageError.at(where, "names no model, expected the prefix of its C symbols")
    try:
        return from_json(Report, found)
    except WrongRecordError as error:
        if error.missing:
            what = f"has no '{error.missing}', expected a report of this version of tinyml_rules"
            raise UsageError.at(where, what, hint="compile the model again") from error
        raise UsageError.at(where, f"is no report that tinyml_rules wrote ({error})") from error
