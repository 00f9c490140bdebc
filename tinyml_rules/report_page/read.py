"""A report that a build wrote, as far as the page depends on it."""

from __future__ import annotations

from pathlib import Path

from jinja2 import UndefinedError

from tinyml_rules.errors import UsageError
from tinyml_rules.ir.c_names import is_c_name
from tinyml_rules.report.report import Report
from tinyml_rules.report_page.page import page
from tinyml_rules.system.tables import read_json

_NEEDED = ("model", "target", "version", "timeline", "peak", "nodes", "remedies", "options")
_OF_A_WRONG_REPORT = (
    *(ArithmeticError, AttributeError, LookupError, TypeError, ValueError),
    *(AssertionError, RecursionError, UndefinedError),
)


def read_report(file: Path) -> Report:
    """The report in a file; UsageError for a file that is no report, or that of another version."""
    found = read_json(file)
    if not isinstance(found, dict) or not {"model", "model_sha256"} <= found.keys():
        raise UsageError.at(str(file), "is not a report, expected a NAME.report.json")
    if not is_c_name(str(found["model"])):
        raise UsageError.at(str(file), "names no model, expected the prefix of its C symbols")
    missing = [key for key in _NEEDED if key not in found]
    if missing:
        what = f"has no '{missing[0]}', expected a report of this version of tinyml_rules"
        raise UsageError.at(str(file), what, hint="compile the model again")
    report: Report = found
    try:
        page([report])
    except _OF_A_WRONG_REPORT as error:
        what = f"is no report that tinyml_rules wrote ({type(error).__name__}: {error})"
        raise UsageError.at(str(file), what) from error
    return report
