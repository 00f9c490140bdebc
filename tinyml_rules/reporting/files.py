"""The files that a person or another program reads of a compiled model: picture and figures."""

from __future__ import annotations

import json

from tinyml_rules.reporting.memory_picture.page import memory_picture
from tinyml_rules.reporting.record import to_json
from tinyml_rules.reporting.report import Report
from tinyml_rules.reporting.timeline import Timeline
from tinyml_rules.system.ours import first_line


def report_files(name: str, timeline: Timeline, report: Report) -> dict[str, str]:
    """{file: text} of the model `name`."""
    return {
        f"{name}.memory.svg": f"<!-- {first_line(name)} -->\n{memory_picture(timeline)}",
        f"{name}.report.json": json.dumps(to_json(report), indent=2) + "\n",
    }
