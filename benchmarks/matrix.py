"""One model on one target: what it takes, whether it is exact, or by how much it does not fit.

What a user would try where a model does not fit is tried here too, the easiest first.  Where tables
stand for layers there is a second row with the layers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from tinyml_rules.compiler import compile_model, select_program
from tinyml_rules.errors import DoesNotFitError, Shortage, TinymlError, UnsupportedError
from tinyml_rules.ir.graph import Array
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.reporting.firmware import Run
from tinyml_rules.reporting.report import Report
from tinyml_rules.request.request import Request, Weights
from tinyml_rules.runners.arrays import first_difference, unpack_samples
from tinyml_rules.runners.model import run_on_arrays
from tinyml_rules.system.process import run_tool
from tinyml_rules.target.equipment import Tool
from tinyml_rules.target.target import Target


class Result(StrEnum):
    """What came of a pair."""

    EXACT = "exact"
    DOES_NOT_FIT = "does not fit"
    MISSING_TOOLS = "missing tools"
    ERROR = "error"


@dataclass(frozen=True)
class Row:
    """One pair.  Figures are those of a report, None where there are none.

    `settings`: what had to be set for it to fit, or what came closest to it.  `flash_bytes` is
    without the `external_bytes` of a weights file.
    """

    target: str
    model: str
    result: Result
    settings: str = ""
    detail: str = ""
    """Unless the result is exact: by how much it does not fit, which tools, what went wrong."""
    compiler: str = ""
    """What the sizes and the counts depend on, beside this project."""
    samples: int | None = None
    flash_bytes: int | None = None
    external_bytes: int | None = None
    ram_bytes: int | None = None
    invoke_stack_bytes: int | None = None
    invoke_stack_measured_bytes: int | None = None
    """Not where the test image reads a weights file, which the firmware does in another way."""
    cycles: int | None = None
    instructions: int | None = None
    milliseconds: float | None = None
    """At the part's clock: exact from cycles, else an estimate, from estimated cycles or, where
    there are none, from instructions, each taken as one."""
    microjoules: float | None = None
    """An estimate: the time at the part's typical power."""
    estimated_cycles: int | None = None
    """Beside instructions, where the core has a table of what they take."""


_DIGITS = 8
"""Behind the point, of milliseconds and microjoules: a table takes a few cycles."""
KEEPS_LAYERS = "optimize=layers"
"""Among the settings of a row: no table stands for layers."""


@dataclass(frozen=True)
class Settings:
    """What a user may set where a model does not fit, or to measure its layers."""

    push_rows: bool = False
    weights: Weights = Weights.FLASH
    optimize: Optimize = Optimize.BALANCED

    def __str__(self) -> str:
        """As the row tells it; empty where nothing is set."""
        words = [KEEPS_LAYERS] if self.optimize is Optimize.LAYERS else []
        words += ["push_rows"] if self.push_rows else []
        words += [f"weights={self.weights.value}"] if self.weights is Weights.EXTERNAL else []
        return " ".join(words)


@dataclass(frozen=True)
class Misfit:
    """Settings with which the model does not fit, and why not."""

    settings: Settings
    error: DoesNotFitError

    @property
    def excess(self) -> float:
        """How many times the memory that is most too small would be needed."""
        found = self.shortages
        return max((each.needed_bytes / each.available_bytes for each in found), default=math.inf)

    @property
    def shortages(self) -> tuple[Shortage, ...]:
        """Every memory that is too small, as far as that is known in figures."""
        return tuple(each.shortage for each in self.error.problems if each.shortage)


def compiler_of(target: Target) -> str:
    """What GCC says that it is, and for what machine."""
    gcc = target.toolchain.program("gcc")
    version = run_tool([gcc, "--version"], where=target.name).splitlines()[0]
    machine = run_tool([gcc, "-dumpmachine"], where=target.name).strip()
    return f"{version} for {machine}"


def missing_row(target: str, model: str, *, tools: Sequence[Tool]) -> Row:
    """The row of a target that cannot be built for on this computer."""
    programs = ", ".join(tool.program for tool in tools)
    return Row(target, model, Result.MISSING_TOOLS, detail=programs)


def measure_pair(
    model: bytes, name: str, target: Target, vectors: Mapping[str, Array], *, compiler: str
) -> list[Row]:
    """The row of a pair, and a second one with its layers where tables stand for some."""
    request = Request(model, name, target)
    rows = [measure_request(request, vectors, compiler=compiler)]
    if rows[0].result is Result.EXACT and select_program(request).graph.tabulated:
        request = replace(request, optimize=Optimize.LAYERS)
        rows.append(measure_request(request, vectors, compiler=compiler))
    return rows


def measure_request(request: Request, vectors: Mapping[str, Array], *, compiler: str) -> Row:
    """Compile, build, measure, run on all vectors and compare, with the first settings that fit."""
    target, name = request.target, request.name
    misfits: list[Misfit] = []
    try:
        for settings in _attempts(target, request.optimize):
            request = replace(request, **vars(settings))
            try:
                return _measure(request, vectors, settings=str(settings), compiler=compiler)
            except DoesNotFitError as error:
                misfits.append(Misfit(settings, error))
            except UnsupportedError:
                if not misfits:  # not the first: the model has no rows to push
                    raise
    except TinymlError as error:
        detail = "; ".join(f"{each.where}: {each.what}" for each in error.problems)
        return Row(target.name, name, Result.ERROR, detail=detail, compiler=compiler)
    closest = min(misfits, key=lambda each: each.excess)
    return Row(
        target.name,
        name,
        Result.DOES_NOT_FIT,
        settings=str(closest.settings),
        detail=_by_how_much(closest),
        compiler=compiler,
    )


def _attempts(target: Target, optimize: Optimize) -> Iterator[Settings]:
    can_read = target.file("weights.c") or target.file("weights_port.c")
    for weights in (Weights.FLASH, Weights.EXTERNAL) if can_read else (Weights.FLASH,):
        for push_rows in (False, True):
            yield Settings(push_rows, weights, optimize)


def _measure(
    request: Request, vectors: Mapping[str, Array], *, settings: str, compiler: str
) -> Row:
    target, name = request.target, request.name
    compiled = compile_model(request)
    interface = compiled.interface
    outcome = run_on_arrays(compiled, target, vectors, where=name)
    outputs = unpack_samples(interface, outcome.output)
    difference = first_difference(interface, outputs, vectors)
    report, build, run = outcome.report, outcome.report.build, outcome.report.run
    assert build is not None, "the firmware of each row was built"
    milliseconds = _milliseconds(run, target)
    return Row(
        target.name,
        name,
        Result.ERROR if difference else Result.EXACT,
        settings=settings,
        detail=difference,
        compiler=compiler,
        samples=len(outputs[interface.outputs[0].tensor]),
        flash_bytes=build.flash_bytes,
        external_bytes=report.external_bytes or None,
        ram_bytes=build.ram_bytes,
        invoke_stack_bytes=build.invoke_stack_bytes,
        invoke_stack_measured_bytes=_measured_stack(report, target),
        cycles=run.cycles if run else None,
        instructions=run.instructions if run else None,
        milliseconds=milliseconds,
        microjoules=_microjoules(milliseconds, target),
        estimated_cycles=run.estimated_cycles if run else None,
    )


def _measured_stack(report: Report, target: Target) -> int | None:
    if report.external_bytes and target.file("weights.c") is None:
        return None
    return report.run.invoke_stack_measured_bytes if report.run else None


def _milliseconds(run: Run | None, target: Target) -> float | None:
    if run is None:
        return None
    known = run.estimated_milliseconds if run.milliseconds is None else run.milliseconds
    if known is None and run.instructions is not None and target.clock_hz:
        return round(1000 * float(run.instructions) / target.clock_hz, _DIGITS)
    return known


def _microjoules(milliseconds: float | None, target: Target) -> float | None:
    if milliseconds is None or target.power is None:
        return None
    return target.power.microjoules(milliseconds)


def _by_how_much(misfit: Misfit) -> str:
    if not misfit.shortages:  # the linker gave up before anything could be measured
        return misfit.error.problems[0].what.splitlines()[0]
    return ", ".join(
        f"needs {'at least ' if each.is_least else ''}{each.needed_bytes:,} B of {each.memory}, "
        f"has {each.available_bytes:,} B"
        for each in misfit.shortages
    )
