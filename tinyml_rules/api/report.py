"""`report`: one page of HTML on models and targets, from reports that exist or made for it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias, Unpack

from tinyml_rules.api.compile import CompiledModel
from tinyml_rules.api.html import page_html
from tinyml_rules.api.options import CompileOptions
from tinyml_rules.api.run import RunResult
from tinyml_rules.api.source import (
    AnyPath,
    Folders,
    Model,
    explained,
    request_of,
    source_of,
    target_of,
)
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.errors import UsageError
from tinyml_rules.report_page.page import page
from tinyml_rules.reporting.flash import with_flash
from tinyml_rules.reporting.read import read_report
from tinyml_rules.reporting.report import Report
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

REPORTS = (".report.json", ".model.json")
"""The ends of the names of files with reports."""
Reported: TypeAlias = Model | Report | CompiledModel | RunResult
"""A model, which is built and run; or a report, in a file or in a result of another function."""


@dataclass(frozen=True, eq=False, repr=False)
class ReportPage:
    """A page of HTML, whole in itself: no network, no other files."""

    html: str
    """the text of the page"""
    reports: tuple[Report, ...]
    """what it shows"""

    def write(self, path: AnyPath) -> Path:
        """Write the page.  Raises UsageError for a file that is there and was not generated, and
        for a folder that cannot be written."""
        write_page(self.html, Path(path), hint="write into another file")
        return Path(path)

    def __repr__(self) -> str:
        """One line."""
        names = ", ".join(f"{each.model} on {each.target}" for each in self.reports)
        return f"<ReportPage {names}: {len(self.html.encode()):,} B of HTML>"

    def _repr_html_(self) -> str:
        names = ", ".join(f"{each.model} on {each.target}" for each in self.reports)
        return page_html(self.html, names)


def report(
    what: Reported | Sequence[Reported],
    target: str | Target | Sequence[str | Target] = HOST,
    *,
    inputs: AnyPath | None = None,
    vectors: AnyPath | None = None,
    name: str = "",
    target_folders: Folders = (),
    options_file: AnyPath | None = None,
    **options: Unpack[CompileOptions],
) -> ReportPage:
    """Make a page of figures and pictures: fit, memory, time, flash, the graph, what would help.

    `what`: a model, or several, which are compiled, built, run and profiled for each `target` as
    far as the tools are installed; reports of earlier builds, and results of `compile` and `run`,
    are shown as they are.  `inputs`: a file of samples to run; `vectors`: a file of samples with
    expected outputs, of which every byte has to be the same; both for a single model.

    Raises UsageError for files that do not go together, WrongOutputError for another output than
    expected, and all that a build and a run may raise.
    """
    several = _listed(what)
    given = {"name": name, "inputs": inputs, "vectors": vectors}
    for key in (key for key, value in given.items() if value and len(several) != 1):
        raise UsageError.at("report", f"'{key}' is for one model, {len(several)} were given")
    parts = [target] if isinstance(target, str | Target) else list(target)
    reports = []
    for each in several:
        known = known_report(each)
        if known is not None:
            reports.append(known)
            continue
        assert not isinstance(each, Report | CompiledModel | RunResult), "these are known"
        source = source_of(each, name)
        for part in dict.fromkeys(parts):
            found = target_of(part, target_folders)
            request = request_of(source, found, options_file, options, "report")
            with explained(request):
                reports.append(_made(request, Fed(inputs, vectors)))
    return ReportPage(page(reports), tuple(reports))


def _listed(what: Reported | Sequence[Reported]) -> list[Reported]:
    if isinstance(what, list | tuple):
        return list(what)
    return [what]  # type: ignore[list-item]  # bytes and str are sequences too


def known_report(what: Reported) -> Report | None:
    """The report that it is or has, or that is in the file; None for a model."""
    if isinstance(what, Report):
        return what
    if isinstance(what, CompiledModel | RunResult):
        return what.report
    if isinstance(what, str | os.PathLike) and is_report(Path(what)):
        return read_report(Path(what))
    return None


def is_report(file: Path) -> bool:
    """Whether a file's name is that of a report."""
    return file.name.endswith(REPORTS)


def write_page(html: str, path: Path, *, hint: str) -> None:
    """Write it; `hint`: what to do where a file is there that was not generated."""
    check_ours([path.name], path.parent, hint=hint)
    write_files({path.name: html}, path.parent)


@dataclass(frozen=True)
class Fed:
    """The files of samples, without and with expected outputs."""

    inputs: AnyPath | None
    vectors: AnyPath | None


def _made(request: Request, fed: Fed) -> Report:
    """Compile, build, run and profile, as far as the tools are here."""
    target, compiled = request.target, compile_model(request)
    missing = missing_tools(target)
    if any(not tool.is_for_runs for tool in missing) or compiled.interface.functions:
        return replace(compiled.report, missing=_lacking(missing))
    if missing:
        with tempfile.TemporaryDirectory(prefix="tinyml-") as folder:
            _, size = build_minimal(compiled, target, folder=Path(folder))
        build = describe_size(size, target)
        return with_flash(replace(compiled.report, build=build, missing=_lacking(missing)))
    return _run(request, compiled, fed)


def _lacking(missing: Sequence[Tool]) -> str | None:
    """What would bring the figures that are not there."""
    return install_command(missing) if missing else None


def _run(request: Request, compiled: Compiled, given: Fed) -> Report:
    interface, target, equal = compiled.interface, request.target, None
    if given.vectors:
        inputs = read_vectors(Path(given.vectors), interface)
        fed = Path(given.vectors).name
    elif given.inputs:
        inputs, fed = read_arrays(Path(given.inputs), interface), Path(given.inputs).name
    else:
        inputs, fed = pattern_inputs(interface), pattern_text(interface)
    where = str(given.vectors or given.inputs or "report")
    outcome = run_on_arrays(compiled, target, inputs, where=where)
    outputs = unpack_samples(interface, outcome.output)
    if given.vectors:
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
