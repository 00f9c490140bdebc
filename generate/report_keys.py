"""Every key of a report, for its page; a test compares with reports of every kind.

`a.b` is a key inside of another, `a[].b` one of each element of a list; what stands behind `.*` are
names that the model, the options or the part have.
"""

from __future__ import annotations

from collections.abc import Mapping

from tinyml_rules.reporting.firmware import Build, Run
from tinyml_rules.reporting.record import keys_of
from tinyml_rules.reporting.report import Report
from tinyml_rules.reporting.rows import Rows

_IN_SECTIONS = {
    "missing": "After a build",
    "flash": "After a build",
    "fed": "After a run",
    "profile": "After a run",
    "equal_samples": "Of builds that compare with expected outputs",
}
"""Keys of a report that are not of the compiled model."""
_ACCURACY = {"accuracy.*": "where there is [an accuracy budget](../how-to/accuracy.md)"}
"""What only SCons adds."""


def _of_report(section: str) -> dict[str, str]:
    return {
        key: what
        for key, what in keys_of(Report)
        if _IN_SECTIONS.get(key.partition(".")[0], "Of the compiled model") == section
    }


SECTIONS: Mapping[str, Mapping[str, str]] = {
    "Of the compiled model": _of_report("Of the compiled model"),
    "After a build": {**dict(keys_of(Build)), **_of_report("After a build")},
    "After a run": {**dict(keys_of(Run)), **_of_report("After a run")},
    "Of builds that compare with expected outputs": {
        **_of_report("Of builds that compare with expected outputs"),
        **_ACCURACY,
    },
}


def key_rows(section: str) -> Rows:
    """The table of one of the sections."""
    return [{"key": f"`{key}`", "meaning": what} for key, what in SECTIONS[section].items()]
