"""A report that a build wrote, as far as the page depends on it."""

from __future__ import annotations

import json
from pathlib import Path

from tinyml_rules.errors import UsageError
from tinyml_rules.report.report import Report
from tinyml_rules.system.files import read_file

_NEEDED = ("model", "target", "version", "timeline", "peak", "nodes", "remedies", "options")


def read_report(file: Path) -> Report:
    """The report in a file; UsageError for one that is none, or is that of another version."""
    data = read_file(file)
    try:
        found = json.loads(data)
    except ValueError as error:
        raise UsageError.at(str(file), f"is no JSON ({error}), expected a report") from error
    if not isinstance(found, dict) or "model_sha256" not in found:
        raise UsageError.at(str(file), "is no report of a model that was compiled here")
    missing = [key for key in _NEEDED if key not in found]
    if missing:
        what = f"has no '{missing[0]}', expected a report of this version of tinyml_rules"
        raise UsageError.at(str(file), what, hint="compile the model again")
    report: Report = found
    return report
