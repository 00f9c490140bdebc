"""`report`: one page of HTML on models and targets, from reports that exist or made for it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tinyml_rules.api.report import REPORTS, is_report, report, write_page
from tinyml_rules.commands.console import Console
from tinyml_rules.errors import UsageError
from tinyml_rules.model_file.suffixes import SUFFIX, SUFFIXES
from tinyml_rules.reporting.record import to_json
from tinyml_rules.request.command_line import (
    add_compile_options,
    add_targets_folder,
    words_given,
)
from tinyml_rules.request.options import OPTIONS
from tinyml_rules.target.target import HOST


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `report`."""
    parser.add_argument(
        "files",
        type=Path,
        nargs="+",
        metavar="MODEL.tflite|NAME.report.json",
        help="models, which are built and run for each target, or reports of earlier builds",
    )
    parser.add_argument("--name", help="prefix of every C symbol; for a single model only")
    parser.add_argument(
        "--target",
        action="append",
        dest="parts",
        metavar="TARGET",
        help="target, part or board; may be repeated (default: host)",
    )
    add_targets_folder(parser)
    parser.add_argument(
        *("-o", "--output"), type=Path, required=True, metavar="FILE.html", help="the page to write"
    )
    fed = parser.add_mutually_exclusive_group()
    fed.add_argument(
        "--input",
        type=Path,
        metavar="FILE",
        help="samples to run, as `run` takes them; for a single model only",
    )
    fed.add_argument(
        "--vectors",
        type=Path,
        metavar="FILE",
        help="samples with expected outputs; fail if any byte differs",
    )
    parser.add_argument("--json", action="store_true", help="print the reports as a JSON list")
    add_compile_options(parser)


def run(options: argparse.Namespace, console: Console) -> None:
    """Write the page, and print where.  Raises UsageError for files that do not go
    together, and all that a build and a run may raise."""
    _check(options)
    found = report(
        options.files,
        options.parts or HOST,
        inputs=options.input,
        vectors=options.vectors,
        name=options.name or "",
        target_folders=options.targets,
        options_file=options.options,
        **words_given(options, OPTIONS),
    )
    output: Path = options.output
    write_page(found.html, output, hint="write elsewhere with -o FILE.html")
    if options.json:
        console.result(json.dumps([to_json(each) for each in found.reports], indent=2))
    else:
        lines = (f"REPORT  {each.model} on {each.target}: {output}" for each in found.reports)
        console.result("\n".join(lines))


def _check(options: argparse.Namespace) -> None:
    for file in options.files:
        if not is_report(file) and file.suffix not in SUFFIXES and not file.exists():
            what = f"expected a model, {SUFFIX}, or a report of one, {REPORTS[0]}"
            raise UsageError.at(str(file), what)
    given = [name for name in ("name", "input", "vectors") if getattr(options, name)]
    if given and len(options.files) != 1:
        what = f"--{given[0]} is for one model, {len(options.files)} files were given"
        raise UsageError.at("report", what)
