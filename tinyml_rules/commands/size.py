"""`size`: what the minimal firmware of a model takes on several targets, without any input."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from tinyml_rules.commands.console import Console
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import DoesNotFitError, Problem, TinymlError, UsageError
from tinyml_rules.passes import simplified
from tinyml_rules.passes.check import check
from tinyml_rules.reporting.energy import run_cells, run_figures
from tinyml_rules.reporting.rows import plain
from tinyml_rules.request.command_line import (
    add_compile_options,
    add_model,
    add_targets_folder,
    chosen_name,
    chosen_target,
    model_bytes,
    request_of,
)
from tinyml_rules.request.graph import graph_of
from tinyml_rules.request.wording import worded
from tinyml_rules.runners.model import build_minimal, run_on_arrays
from tinyml_rules.runners.pattern import pattern_inputs
from tinyml_rules.target.missing import install_command, missing_tools
from tinyml_rules.target.target import Target, default_search, part_notes, target_names

ALL = "all"
FITS, DOES_NOT_FIT, MISSING_TOOLS, ERROR = "fits", "does not fit", "missing tools", "error"


@dataclass(frozen=True)
class SizeRow:
    """One target.  Bytes are None if nothing could be built; `detail` then says why.

    `ram_bytes` is variables and worst-case stack, the arena among the variables; both
    `stack_bytes` and what a target has are None on the host.
    """

    target: str
    result: str
    flash_bytes: int | None = None
    target_flash_bytes: int | None = None
    ram_bytes: int | None = None
    target_ram_bytes: int | None = None
    stack_bytes: int | None = None
    constant_bytes: int | None = None
    arena_bytes: int | None = None
    milliseconds: float | None = None
    """Of an inference, with `--run`; an estimate where the emulator counts instructions."""
    microjoules: float | None = None
    """An estimate, for a target with [power]."""
    detail: str = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `size`."""
    add_model(parser)
    parser.add_argument(
        "--target",
        default=ALL,
        metavar="A,B,C",
        help="targets, parts or boards, with commas between them (default: all targets)",
    )
    add_targets_folder(parser)
    add_compile_options(parser)
    parser.add_argument(
        "--run",
        dest="is_run",
        action="store_true",
        help="run one pseudo-random sample on each target, and show time and energy too",
    )
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")


def run(options: argparse.Namespace, console: Console) -> None:
    """Print the table.  Raises the model's own errors, which are those of every target, at once,
    and after the table those of targets alone."""
    model, name = model_bytes(options), chosen_name(options)
    targets = [chosen_target(options, each) for each in _names(options)]
    anywhere = request_of(options, model, name, targets[0])
    check(simplified(graph_of(anywhere), anywhere.operators), anywhere.operators)
    rows = []
    for number, target in enumerate(targets, start=1):
        console.show(f"{number} of {len(targets)}: {target.name}")
        rows.append(_measure(options, model, name, target))
    data = [asdict(row) for row in rows]
    text = json.dumps(data, indent=2) if options.json else _text(options, name, rows, targets)
    console.result(worded(text))
    problems = [Problem(row.target, row.detail) for row in rows if row.result == ERROR]
    if problems:
        raise TinymlError(problems)


def _text(
    options: argparse.Namespace, name: str, rows: Sequence[SizeRow], targets: Sequence[Target]
) -> str:
    lines = [f"{name}: minimal firmware in bytes; RAM is variables, arena included, and stack"]
    lines += [plain([_cells(row, options.is_run) for row in rows])]
    notes = [str(note) for target in targets for note in part_notes(target)]
    return "\n".join([*lines, *_details(rows), *notes])


def _names(options: argparse.Namespace) -> list[str]:
    if options.target == ALL:
        return list(target_names(search=(*options.targets, *default_search())))
    names = [word.strip() for word in options.target.split(",")]
    if not all(names):
        what = f"'{options.target}', expected targets separated by commas"
        raise UsageError.at("target", what)
    return list(dict.fromkeys(names))


def _measure(options: argparse.Namespace, model: bytes, name: str, target: Target) -> SizeRow:
    memory = target.memory
    row = SizeRow(
        target=target.name,
        result=FITS,
        target_flash_bytes=memory.flash.bytes if memory else None,
        target_ram_bytes=memory.ram.bytes if memory else None,
    )
    missing = [each for each in missing_tools(target) if options.is_run or not each.is_for_runs]
    if missing:
        programs = ", ".join(tool.program for tool in missing)
        detail = f"{programs}: {install_command(missing)}"
        return replace(row, result=MISSING_TOOLS, detail=detail)
    try:
        compiled = compile_model(request_of(options, model, name, target))
        with tempfile.TemporaryDirectory(prefix="tinyml-") as folder:
            _, size = build_minimal(compiled, target, folder=Path(folder))
        if options.is_run:
            inputs = pattern_inputs(compiled.interface)
            run = run_on_arrays(compiled, target, inputs, where=name).report.run
            milliseconds, microjoules = run_figures(run)
            row = replace(row, milliseconds=milliseconds, microjoules=microjoules)
    except DoesNotFitError as error:
        detail = "; ".join(map(_by_how_much, error.problems))
        return replace(row, result=DOES_NOT_FIT, detail=detail)
    except UsageError:
        raise
    except TinymlError as error:
        detail = "; ".join(each.what for each in error.problems)
        return replace(row, result=ERROR, detail=detail)
    return replace(
        row,
        flash_bytes=size.flash_bytes,
        ram_bytes=size.ram_bytes,
        stack_bytes=size.stack_bytes,
        constant_bytes=compiled.report.constant_bytes,
        arena_bytes=compiled.report.arena_bytes,
    )


def _by_how_much(problem: Problem) -> str:
    found = problem.shortage
    if found is None:
        return problem.what
    least = "at least " if found.is_least else ""
    excess = found.needed_bytes - found.available_bytes
    return f"{least}{excess:,} B of {found.memory} too many ({found.needed_bytes:,} B)"


def _cells(row: SizeRow, is_run: bool) -> dict[str, object]:
    measured = run_cells(row.milliseconds, row.microjoules) if is_run else {}
    return {
        "target": row.target,
        "flash": row.flash_bytes,
        "part's flash": row.target_flash_bytes,
        "RAM": row.ram_bytes,
        "part's RAM": row.target_ram_bytes,
        "stack": row.stack_bytes,
        "constants": row.constant_bytes,
        "arena": row.arena_bytes,
        **measured,
        "result": row.result,
    }


def _details(rows: Sequence[SizeRow]) -> Iterator[str]:
    """Details that are too long for a column and are not errors."""
    for row in rows:
        if row.detail and row.result != ERROR:
            first, *rest = row.detail.splitlines()
            yield f"{row.target}: {row.result}: {first}"
            yield from rest
