"""`diff`: what changed between two reports, or between all reports of two folders."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tinyml_rules.commands.console import Console
from tinyml_rules.errors import OverBudgetError, Problem, UsageError
from tinyml_rules.report_page.difference import difference_page
from tinyml_rules.reporting.difference.budgets import Growth, broken_budgets, broken_totals
from tinyml_rules.reporting.difference.compare import Difference, compare_reports
from tinyml_rules.reporting.difference.markdown import markdown_of
from tinyml_rules.reporting.difference.read import SUFFIX, Figures, read_report
from tinyml_rules.reporting.difference.words import text_of
from tinyml_rules.reporting.memory_picture.words import printable
from tinyml_rules.request.budgets import BUDGETS
from tinyml_rules.request.command_line import add_options, values_of
from tinyml_rules.system.files import write_files

PRINTED = Path("-")
"""A file with this name means standard output."""


@dataclass(frozen=True)
class Found:
    """What the command found: `alone` are reports without a counterpart, by what is said of
    them."""

    differences: tuple[Difference, ...]
    alone: dict[str, Figures]
    problems: tuple[Problem, ...]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Two reports or two folders, what is written, and the budgets."""
    for name, what in (("old", "old"), ("new", "new")):
        parser.add_argument(
            name,
            type=Path,
            metavar=name.upper(),
            help=f"the {what} report, NAME{SUFFIX}, or a folder of such files",
        )
    parser.add_argument(
        "--markdown",
        type=Path,
        metavar="FILE",
        help="write Markdown for a comment to this file; - prints it instead of the usual text",
    )
    parser.add_argument(
        "--html", type=Path, metavar="FILE", help="write a page with everything that changed"
    )
    parser.add_argument("--json", action="store_true", help="print everything that changed as JSON")
    add_options(parser, BUDGETS)
    for each in BUDGETS.values():
        parser.add_argument(
            f"--{each.dashed}-growth",
            metavar=f"{each.metavar}|N%",
            help="fail if that figure grew by more",
        )


def run(options: argparse.Namespace, console: Console) -> None:
    """Compare, write the files that are asked for, and print the rest.  Raises OverBudgetError."""
    found = _found(options)
    console.result(_text(options, found))
    if found.problems:
        raise OverBudgetError(found.problems)


def _text(options: argparse.Namespace, found: Found) -> str:
    """What is printed, after the files are written."""
    said = [*found.alone]
    broken = [f"{each.where}: {each.what}" for each in found.problems]
    texts = {
        options.markdown: markdown_of(found.differences, said, broken),
        options.html: difference_page(found.differences, said, broken),
    }
    texts.pop(None, None)
    printed = texts.pop(PRINTED, None)
    for file, text in texts.items():
        write_files({file.name: text}, file.parent)
    if options.json:
        return json.dumps(_data(found), indent=2)
    if printed is None:
        lines = [*map(printable, said), *(text_of(each) for each in found.differences)]
        printed = "\n\n".join(lines)
    return printed.rstrip("\n")


def _found(options: argparse.Namespace) -> Found:
    budgets, growth = values_of(options, BUDGETS), _growth(options)
    old, new = (_files(each) for each in (options.old, options.new))
    if options.old.is_dir() != options.new.is_dir():
        what = "one is a folder and the other a file, expected two of the same kind"
        raise UsageError.at(f"{options.old} and {options.new}", what)
    reports = [{name: read_report(file) for name, file in each.items()} for each in (old, new)]
    differences = tuple(
        compare_reports(report, reports[1][name])
        for name, report in reports[0].items()
        if name in reports[1]
    )
    gone = {f"{each}: not there any more": reports[0][each] for each in old if each not in new}
    come = {f"{each}: new": reports[1][each] for each in new if each not in old}
    problems = [each for found in differences for each in broken_budgets(found, budgets, growth)]
    problems += [each for report in come.values() for each in broken_totals(report, budgets)]
    return Found(differences, gone | come, tuple(problems))


def _growth(options: argparse.Namespace) -> dict[str, Growth]:
    given = {name: getattr(options, f"{name}_growth") for name in BUDGETS}
    return {
        name: Growth.of(text, f"{name}_growth") for name, text in given.items() if text is not None
    }


def _files(path: Path) -> dict[str, Path]:
    """By name from the folder on; a file by none.  Raises UsageError for a folder without one."""
    if not path.is_dir():
        return {"": path}
    found = {file.relative_to(path).as_posix(): file for file in sorted(path.rglob(f"*{SUFFIX}"))}
    if not found:
        raise UsageError.at(str(path), f"has no file *{SUFFIX}, expected those of builds")
    return found


def _data(found: Found) -> dict[str, Any]:
    return {
        "models": [_difference_data(each) for each in found.differences],
        "alone": [*found.alone],
        "over_budget": [{"where": each.where, "what": each.what} for each in found.problems],
    }


def _difference_data(found: Difference) -> dict[str, Any]:
    def changes(listed: Sequence[Any]) -> list[dict[str, Any]]:
        return [{**asdict(each), "change": each.delta} for each in listed]

    return {
        "model": found.model,
        "target": found.target,
        "notes": list(found.notes),
        "figures": changes(found.figures),
        "sections": [
            {"key": each.key, "title": each.title, "changes": changes(each.changes)}
            for each in found.sections
        ],
    }
