"""`size`: what the minimal firmware of a model takes on several targets, without any input."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Unpack

from tinyml_rules.api.html import table_html
from tinyml_rules.api.options import CompileOptions
from tinyml_rules.api.source import (
    AnyPath,
    Folders,
    Model,
    check_anywhere,
    paths_of,
    request_of,
    source_of,
    target_of,
)
from tinyml_rules.api.table import Table
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import DoesNotFitError, Problem, TinymlError, UsageError
from tinyml_rules.reporting.energy import run_cells, run_figures
from tinyml_rules.reporting.rows import plain
from tinyml_rules.request.request import Request
from tinyml_rules.runners.model import build_minimal, run_on_arrays
from tinyml_rules.runners.pattern import pattern_inputs
from tinyml_rules.system.progress import Show, quietly
from tinyml_rules.target.equipment import RUNNER_COUNTS
from tinyml_rules.target.missing import install_command, missing_tools
from tinyml_rules.target.target import Target, default_search, part_notes, target_names

FITS, DOES_NOT_FIT, MISSING_TOOLS, ERROR = "fits", "does not fit", "missing tools", "error"


@dataclass(frozen=True)
class SizeRow:
    """One target.  Bytes are None if nothing could be built; `detail` then says why.

    `ram_bytes` is variables and worst-case stack, the arena among the variables; both
    `stack_bytes` and what a target has are None on the host.
    """

    target: str
    """its name"""
    result: str
    """`fits`, `does not fit`, `missing tools` or `error`"""
    flash_bytes: int | None = None
    """of the minimal firmware"""
    target_flash_bytes: int | None = None
    """what the part has"""
    ram_bytes: int | None = None
    """variables and the worst-case stack"""
    target_ram_bytes: int | None = None
    """what the part has"""
    stack_bytes: int | None = None
    """the worst case"""
    constant_bytes: int | None = None
    """tables of the model in flash"""
    arena_bytes: int | None = None
    """of the model, in RAM"""
    milliseconds: float | None = None
    """of an inference, if it was run; an estimate where the emulator counts instructions"""
    microjoules: float | None = None
    """the same, an estimate, for a target with [power]"""
    detail: str = ""
    """why there are no figures"""


class SizeTable(Table[SizeRow]):
    """A row for each target, in the order in which they were given."""

    def __init__(
        self, name: str, records: Sequence[SizeRow], targets: Sequence[Target], *, has_run: bool
    ) -> None:
        """`name`: of the model."""
        rows = zip(records, targets, strict=True)
        super().__init__(records, [_cells(*each, has_run=has_run) for each in rows])
        self.name = name
        self.notes = [str(note) for target in targets for note in part_notes(target)]

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Of targets for which the model cannot be compiled or built."""
        return tuple(Problem(row.target, row.detail) for row in self if row.result == ERROR)

    def to_json(self) -> list[dict[str, Any]]:
        """The rows, as `size --json` prints them."""
        return [asdict(row) for row in self]

    def __str__(self) -> str:
        """What the command prints."""
        return "\n".join([self._title(), plain(self.rows), *_details(self), *self.notes])

    def _title(self) -> str:
        return (
            f"{self.name}: minimal firmware in bytes; RAM is variables, arena included, and stack"
        )

    def _repr_html_(self) -> str:
        notes = [*_details(self), *map(str, self.problems), *self.notes]
        return table_html(self.rows, title=self._title(), notes=notes)


def size(
    model: Model,
    targets: str | Target | Sequence[str | Target] | None = None,
    *,
    run: bool = False,
    name: str = "",
    target_folders: Folders = (),
    options_file: AnyPath | None = None,
    progress: Show = quietly,
    **options: Unpack[CompileOptions],
) -> SizeTable:
    """Build the minimal firmware of a model for several targets, and measure flash, RAM and stack.

    `targets`: one, or several; without any, all that are known.  `run`: run one pseudo-random
    sample on each, for time and energy.  The others are as in `compile`.
    What goes wrong for one target is in its row: it does not fit, tools are missing, an error.

    Raises UsageError for a wrong argument, and the model's own errors, which are those of every
    target.
    """
    source, parts = source_of(model, name), _targets(targets, target_folders)

    def requested(target: Target) -> Request:
        return request_of(source, target, options_file, options, "size")

    check_anywhere(requested(parts[0]))
    rows = []
    for number, target in enumerate(parts, start=1):
        progress(f"{number} of {len(parts)}: {target.name}")
        rows.append(_measured(requested(target), is_run=run))
    return SizeTable(source.name, rows, parts, has_run=run)


def _targets(
    wanted: str | Target | Sequence[str | Target] | None, folders: Folders
) -> list[Target]:
    """Each once."""
    if wanted is None:
        wanted = target_names(search=(*paths_of(folders), *default_search()))
    several = [wanted] if isinstance(wanted, str | Target) else list(wanted)
    if not several:
        raise UsageError.at("targets", "found none, expected some")
    names = {each.name if isinstance(each, Target) else each: each for each in several}
    return [target_of(each, folders) for each in names.values()]


def _measured(request: Request, *, is_run: bool) -> SizeRow:
    target = request.target
    memory = target.memory
    row = SizeRow(
        target=target.name,
        result=FITS,
        target_flash_bytes=memory.flash.bytes if memory else None,
        target_ram_bytes=memory.ram.bytes if memory else None,
    )
    missing = [tool for tool in missing_tools(target) if is_run or not tool.is_for_runs]
    if missing:
        programs = ", ".join(tool.program for tool in missing)
        detail = f"{programs}: {install_command(missing)}"
        return replace(row, result=MISSING_TOOLS, detail=detail)
    try:
        compiled = compile_model(request)
        with tempfile.TemporaryDirectory(prefix="tinyml-") as folder:
            _, found = build_minimal(compiled, target, folder=Path(folder))
        if is_run:
            inputs = pattern_inputs(compiled.interface)
            ran = run_on_arrays(compiled, target, inputs, where=request.name).report.run
            milliseconds, microjoules = run_figures(ran)
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
        flash_bytes=found.flash_bytes,
        ram_bytes=found.ram_bytes,
        stack_bytes=found.stack_bytes,
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


def _cells(row: SizeRow, target: Target, *, has_run: bool) -> dict[str, object]:
    measured = {}
    if has_run:
        is_exact = RUNNER_COUNTS[target.runner.kind] == "cycles"
        measured = run_cells(row.milliseconds, row.microjoules, is_exact=is_exact)
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
