"""What a person reads: summaries of a report, and the tables of operators and targets."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path

from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.ir.text import node_numbers
from tinyml_rules.ops._shared.operator import Op, Operators, Role
from tinyml_rules.reporting.energy import energy_words
from tinyml_rules.reporting.firmware import Build
from tinyml_rules.reporting.report import Report
from tinyml_rules.reporting.rows import Rows
from tinyml_rules.reporting.sizes import amount as _amount
from tinyml_rules.reporting.trimming import tabulated_summary, trimmed_summary
from tinyml_rules.target.equipment import RUNNER_COUNTS
from tinyml_rules.target.missing import install_command, missing_tools
from tinyml_rules.target.target import load_target, target_names

LINE_WIDTH = 100
"""Characters of the longest line that is printed for a person."""
MOST_REASONS = 4
"""Tensors that are named as what fills the arena."""


def model_summary(report: Report) -> str:
    """What the compiler made, and what sets the size of its arena."""
    apart = report.variable_bytes if report.arena is ArenaMode.SHARED else 0
    kept = f", variables {apart:,} B" if apart else ""
    regions = "".join(f"{name} {size:,} B, " for name, size in report.region_bytes.items())
    line = (
        f"{report.model} for {report.target}: RAM {report.model_ram_bytes:,} B "
        f"(arena {report.arena_bytes:,} B, lower bound {report.arena_lower_bound_bytes:,} B"
        f"{kept}), {regions}constants {report.constant_bytes:,} B, "
        f"{report.macs:,} multiply-accumulates"
    )
    if report.slice_macs is not None:
        line += f", in a slice of one at most {report.slice_macs:,}"
    more = (
        pushes_summary(report),
        tabulated_summary(report),
        trimmed_summary(report),
        peak_summary(report),
    )
    return "\n".join(filter(None, [line, *more]))


def pushes_summary(report: Report) -> str:
    """What one window takes of those that slide, and one row at most."""
    found = report.pushes
    if found is None:
        return ""
    return (
        f"  windows: {report.pushed_rows} rows each, one begins every {found.slide}: "
        f"{found.macs:,} multiply-accumulates a window, at most {found.most_macs:,} a row"
    )


def peak_summary(report: Report) -> str:
    """What fills the arena when it is fullest, and what would change that, a line each."""
    peak = report.peak
    if peak is None:
        return ""
    reason, *remedies = report.advice or ("",)
    reasons = reason.split("; ")
    if len(reasons) > MOST_REASONS:
        reasons[MOST_REASONS - 1 :] = [f"and {len(reasons) - MOST_REASONS + 1} more tensors"]
    lines = [f"  peak: {peak.bytes:,} B at {node_numbers(peak.nodes)}"]
    for text in filter(None, (*reasons, *remedies)):
        lines += textwrap.wrap(
            text,
            LINE_WIDTH,
            initial_indent="    ",
            subsequent_indent="      ",
            break_on_hyphens=False,
        )
    return "\n".join(lines)


def model_line(file: str, report: Report, *, arrow: str) -> str:
    """The line of a build for the model in `file`; its name where that is not what it is called."""
    name, part = report.model, report.target
    named = "" if name == Path(file).stem else f" as {name}"
    return f"TINYML  {Path(file).name}{named} {arrow} {part}: {model_figures(report)}"


def model_figures(report: Report) -> str:
    """What a model takes as far as it is known before its C is compiled."""
    memories = {"constants": report.constant_bytes, "RAM": report.model_ram_bytes}
    memories.update(report.region_bytes)
    return ", ".join(f"{_amount(size)} {name}" for name, size in memories.items())


def report_rows(reports: Sequence[Report]) -> Rows:
    """What each firmware takes of its part, a row each."""
    rows = []
    for report in reports:
        assert report.build is not None, "these are reports of firmware"
        build = report.build
        sizes = {"flash_bytes": build.flash_bytes, "ram_bytes": build.ram_bytes}
        model = {"arena_bytes": report.arena_bytes, "constant_bytes": report.constant_bytes}
        rows.append(
            {
                "model": report.model,
                "target": report.target,
                **sizes,
                "stack_bytes": build.stack_bytes,
                **model,
                "macs": report.macs,
            }
        )
    return rows


def size_summary(report: Report) -> str:
    """Flash and RAM used, of what the part has."""
    build = report.build
    assert build is not None, "this is a report of a firmware"
    lines = [
        f"{report.model} on {report.target}",
        _usage("flash", build.flash_bytes, build.target_flash_bytes),
        _usage("RAM", build.ram_bytes, build.target_ram_bytes) + _ram_parts(build),
    ]
    return "\n".join(lines)


def run_summary(report: Report) -> str:
    """The same with what one inference took."""
    lines, run = [size_summary(report)], report.run
    if run is not None:
        time = "" if run.milliseconds is None else f", {run.milliseconds:g} ms"
        energy = "" if run.milliseconds is None else energy_words(run)
        lines.append(f"  inference  {run.count:,} {run.unit}{time}{energy}{_of_push(report)}")
    if run is not None and run.estimated_cycles is not None:
        milliseconds = run.estimated_milliseconds
        time = "" if milliseconds is None else f", ~{milliseconds:g} ms"
        energy = energy_words(run)
        lines.append(f"             ~{run.estimated_cycles:,} cycles{time}{energy}, an estimate")
    return "\n".join(lines)


def _of_push(report: Report) -> str:
    """Of windows that slide, what the slowest row took."""
    run = report.run
    if report.pushes is None or run is None:
        return ""
    most = run.instructions_of_slowest_row or run.cycles_of_slowest_row
    return f" a window, at most {most:,} a row"


def _usage(word: str, used: int, available: int | None) -> str:
    if not available:
        return f"  {word:9}  {used:,} B"
    return f"  {word:9}  {used:,} B of {available:,} B ({100 * used / available:.1f} %)"


def _ram_parts(build: Build) -> str:
    if build.stack_bytes is None:
        return ""
    return f": variables {build.static_ram_bytes:,} B, stack {build.stack_bytes:,} B at most"


def operator_rows(operators: Operators) -> Rows:
    """Every operator with its types and options."""
    return [
        {
            "operator": op.title,
            "supported": op.summary,
            "kernels": _kernels(op),
        }
        for op in operators.in_files
    ]


def _kernels(op: Op) -> str:
    """The templates and the firmware's own functions, each once however many types it is for."""
    names = (kernel.template.name if kernel.template else kernel.name for kernel in op.kernels)
    found = ", ".join(dict.fromkeys(name.removesuffix(".c.j2") for name in names))
    return found or ("a table" if op.layout is None and op.role is Role.COMPUTE else "a copy")


def target_rows(search: Sequence[Path]) -> Rows:
    """Every target with its memory, its runner, and what is missing to build for it here."""
    rows = []
    for name in target_names(search=search):
        target = load_target(name, search=search)
        missing = missing_tools(target)
        rows.append(
            {
                "target": name,
                "description": target.description,
                "flash_bytes": target.memory.flash.bytes if target.memory else None,
                "ram_bytes": target.memory.ram.bytes if target.memory else None,
                "clock_hz": target.clock_hz,
                "runner": " ".join(filter(None, (target.runner.kind, target.runner.machine))),
                "counts": RUNNER_COUNTS[target.runner.kind],
                "like": target.like,
                "tools": f"missing; {install_command(missing)}" if missing else "installed",
            }
        )
    return rows


def consumers_summary(build: Build) -> str:
    """The symbols that take most flash and RAM."""
    lines = (f"    {each.bytes:7,} B {each.region:5}  {each.symbol}" for each in build.largest)
    return "\n".join(["  largest:", *lines])
