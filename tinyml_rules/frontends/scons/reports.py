"""Figures of compilation, build and run as reports, and reports as tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml_rules.frontends.scons.action import PackageAction, report_files, table_files
from tinyml_rules.frontends.scons.place import write_json, write_node
from tinyml_rules.system.tables import read_json

if TYPE_CHECKING:
    from tinyml_rules.reporting.report import Report


def read_figures(node: Any) -> dict[str, Any]:
    """A file of JSON."""
    data: dict[str, Any] = read_json(Path(node.abspath))
    return data


def report_in(node: Any) -> Report:
    """What the compiler reports of a model, or the build of its firmware."""
    from tinyml_rules.reporting.read import read_report  # noqa: PLC0415 - only when there is work

    return read_report(Path(node.abspath))


def write_report(target: list[Any], source: list[Any], env: Any) -> None:  # noqa: ARG001
    """The figures of compilation, build and, where it was asked for, run -> one report."""
    from tinyml_rules.reporting.flash import with_flash  # noqa: PLC0415 - only when there is work
    from tinyml_rules.reporting.read import report_of  # noqa: PLC0415
    from tinyml_rules.reporting.record import to_json  # noqa: PLC0415

    figures: dict[str, Any] = {}
    for node in source:
        figures.update(read_figures(node))
    flash = with_flash(report_of(figures, target[0].name)).flash
    write_json(target[0], figures if flash is None else {**figures, "flash": to_json(flash)})


def write_table(target: list[Any], source: list[Any], env: Any) -> None:  # noqa: ARG001
    """Reports -> a table or a page, by the ending of its name."""
    from tinyml_rules.reporting.rows import markdown, plain  # noqa: PLC0415
    from tinyml_rules.reporting.tables import report_rows  # noqa: PLC0415

    node = target[0]
    reports = [report_in(each) for each in source]
    if node.name.endswith(".html"):
        from tinyml_rules.report_page.page import page  # noqa: PLC0415 - only when there is work

        write_node(node, page(reports))
        return
    rows = report_rows(reports)
    if node.name.endswith(".json"):
        write_json(node, rows)
        return
    text = markdown(rows) if node.name.endswith(".md") else plain(rows)
    write_node(node, text + "\n")


REPORT = PackageAction(write_report, "$TINYML_REPORTCOMSTR", variables=(), files=report_files)
TABLE = PackageAction(write_table, "$TINYML_REPORTCOMSTR", variables=(), files=table_files)
