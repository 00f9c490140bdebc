"""`report`: one page of HTML on models and targets, from reports that exist or made for it."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tinyml_rules.commands.compiled import requested
from tinyml_rules.commands.console import Console
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.errors import UsageError
from tinyml_rules.report_page.page import page
from tinyml_rules.reporting.flash import with_flash
from tinyml_rules.reporting.read import read_report
from tinyml_rules.reporting.record import to_json
from tinyml_rules.reporting.report import Report
from tinyml_rules.request.command_line import (
    add_compile_options,
    add_targets_folder,
    chosen_target,
)
from tinyml_rules.request.model_path import SUFFIX, SUFFIXES
from tinyml_rules.request.request import Request
from tinyml_rules.runners.arrays import check_outputs, read_arrays, read_vectors, unpack_samples
from tinyml_rules.runners.figures import describe_size
from tinyml_rules.runners.model import build_minimal, run_on_arrays
from tinyml_rules.runners.pattern import pattern_inputs, pattern_text
from tinyml_rules.runners.profile import profile_on_arrays
from tinyml_rules.system.files import write_files
from tinyml_rules.system.ours import check_ours
from tinyml_rules.target.equipment import RUNNER_COUNTS, Tool
from tinyml_rules.target.missing import install_command, missing_tools
from tinyml_rules.target.target import HOST, Target

_REPORTS = (".report.json", ".model.json")


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
    models = [file for file in options.files if not _is_report(file)]
    _check(options, models)
    reports = []
    for file in options.files:
        if _is_report(file):
            reports.append(read_report(file))
            continue
        for part in dict.fromkeys(options.parts or [HOST]):
            # what an error asks for when it looks for ways to make the model fit
            options.model, options.target = file, part
            reports.append(_made(options))
    output: Path = options.output
    check_ours([output.name], output.parent, hint="write elsewhere with -o FILE.html")
    write_files({output.name: page(reports)}, output.parent)
    if options.json:
        console.result(json.dumps([to_json(each) for each in reports], indent=2))
    else:
        console.result(
            "\n".join(f"REPORT  {each.model} on {each.target}: {output}" for each in reports)
        )


def _is_report(file: Path) -> bool:
    return file.name.endswith(_REPORTS)


def _check(options: argparse.Namespace, models: list[Path]) -> None:
    for file in models:
        if file.suffix not in SUFFIXES and not file.exists():
            what = f"expected a model, {SUFFIX}, or a report of one, {_REPORTS[0]}"
            raise UsageError.at(str(file), what)
    given = [name for name in ("name", "input", "vectors") if getattr(options, name)]
    if given and len(options.files) != 1:
        what = f"--{given[0]} is for one model, {len(options.files)} files were given"
        raise UsageError.at("report", what)


def _made(options: argparse.Namespace) -> Report:
    """Compile, build, run and profile, as far as the tools are here."""
    target = chosen_target(options)
    request = requested(options, target)
    compiled = compile_model(request)
    missing = missing_tools(target)
    if any(not tool.is_for_runs for tool in missing) or compiled.interface.functions:
        return replace(compiled.report, missing=_lacking(missing))
    if missing:
        with tempfile.TemporaryDirectory(prefix="tinyml-") as folder:
            _, size = build_minimal(compiled, target, folder=Path(folder))
        build = describe_size(size, target)
        return with_flash(replace(compiled.report, build=build, missing=_lacking(missing)))
    return _run(options, compiled, target, request)


def _lacking(missing: Sequence[Tool]) -> str | None:
    """What would bring the figures that are not there."""
    return install_command(missing) if missing else None


def _run(
    options: argparse.Namespace, compiled: Compiled, target: Target, request: Request
) -> Report:
    interface, equal = compiled.interface, None
    if options.vectors:
        inputs = read_vectors(options.vectors, interface)
        fed = options.vectors.name
    elif options.input:
        inputs, fed = read_arrays(options.input, interface), options.input.name
    else:
        inputs, fed = pattern_inputs(interface), pattern_text(interface)
    where = str(options.vectors or options.input or "report")
    outcome = run_on_arrays(compiled, target, inputs, where=where)
    outputs = unpack_samples(interface, outcome.output)
    if options.vectors:
        check_outputs(interface, outputs, inputs, where=f"{interface.name} on {target.name}")
        equal = len(next(iter(outputs.values())))
    report = replace(outcome.report, fed=fed, equal_samples=equal)
    if not RUNNER_COUNTS[target.runner.kind]:
        return report
    marked = compile_model(replace(request, marked=True))
    profile = profile_on_arrays(
        marked, target, inputs, where=where, expected=outputs, run=report.run
    )
    return replace(report, profile=profile)
