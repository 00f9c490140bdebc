"""Results as a notebook shows them: HTML that inherits the notebook's colours and loads nothing.

Names in a model's file are untrusted: the templates escape all that they are given.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from tinyml_rules.report_page.fit import Tile, tiles, verdict
from tinyml_rules.report_page.layers import layers
from tinyml_rules.report_page.numbers import name, whole
from tinyml_rules.reporting.memory_picture.page import memory_picture
from tinyml_rules.reporting.report import Report
from tinyml_rules.reporting.rows import Rows
from tinyml_rules.reporting.timeline import timeline_from
from tinyml_rules.system.templates import templates

_NUMBER = re.compile(r"[-~]?[0-9][0-9,.]*(?:e[-+][0-9]+)?%?")
PAGE_HEIGHT = 720
"""Pixels of a whole page inside a notebook."""


def model_html(
    report: Report, *, results: Sequence[Mapping[str, Any]] = (), notes: Iterable[str] = ()
) -> str:
    """Figures, what came out of a run, the memory picture and the layers with their cost."""
    return _rendered(
        "model.html.j2",
        report=report,
        verdict=verdict(report),
        tiles=[*tiles(report), _work(report)],
        results=_table(results),
        picture=_data_url(picture_of(report)),
        layers=layers(report),
        notes=tuple(notes),
    )


def table_html(rows: Rows, *, title: str = "", notes: Iterable[str] = ()) -> str:
    """A table of rows that all have the same keys, below a title."""
    return _rendered("table.html.j2", table=_table(rows), title=title, notes=tuple(notes))


def page_html(page: str, title: str) -> str:
    """A whole page in a frame of its own."""
    return _rendered("frame.html.j2", page=page, title=title, height=PAGE_HEIGHT)


def picture_of(report: Report) -> str:
    """The memory picture of a report: SVG for light and dark pages."""
    return memory_picture(timeline_from(report), has_table=False)


def _work(report: Report) -> Tile:
    unit = "multiply-accumulates"
    return Tile("Work", "macs", report.macs, whole(report.macs), unit, "exact", "of one inference")


def _table(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The head and the cells: numbers have separators, and none is an empty cell."""
    return {
        "head": list(rows[0]) if rows else [],
        "rows": [[(_cell(value), _is_number(value)) for value in row.values()] for row in rows],
    }


def _cell(value: object) -> str:
    if value is None:
        return ""
    return whole(value) if isinstance(value, int) else name(str(value)) if value != "" else ""


def _is_number(value: object) -> bool:
    """Numbers, also as text with a unit, are at the right of a column."""
    is_text = isinstance(value, str) and _NUMBER.fullmatch(value) is not None
    return is_text or (isinstance(value, int | float) and not isinstance(value, bool))


def _data_url(picture: str) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(picture.encode()).decode()}"


def _rendered(template: str, **values: Any) -> str:
    text: str = _environment().get_template(template).render(**values)
    return text


@cache
def _environment() -> jinja2.Environment:
    found = templates(Path(__file__).resolve().parent / "templates", escapes=True, keeps_end=False)
    found.filters["name"] = name
    return found
