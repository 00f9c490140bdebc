"""Does it fit: what a firmware takes of its part, and what one inference takes, as tiles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tinyml_rules.report_page.numbers import percent, whole
from tinyml_rules.reporting.budgets import budgets_of
from tinyml_rules.reporting.firmware import Build, Run
from tinyml_rules.reporting.parts import Pushes
from tinyml_rules.reporting.report import Report
from tinyml_rules.reporting.sizes import three_digits

EXACT, ESTIMATE = "exact", "estimate"


@dataclass(frozen=True)
class Tile:
    """One figure; `key` is that of the report.  `share`: of what the part has, None where that is
    not known or means nothing; `budget`: the same of what it may be, where that was said."""

    title: str
    key: str
    value: float
    text: str
    unit: str
    certainty: str
    note: str = ""
    share: float | None = None
    budget: float | None = None


def tiles(report: Report) -> Iterator[Tile]:
    """Those that the report has figures for."""
    build, run = report.build, report.run
    if build is not None:
        sizes = build.flash_bytes, build.target_flash_bytes
        yield _memory(report, "Flash", "flash", *sizes, note="code, constants and startup")
        sizes = build.ram_bytes, build.target_ram_bytes
        yield _memory(report, "RAM", "ram", *sizes, note=_ram_note(report, build))
    else:
        note = "of the model alone; code is known after a build"
        yield _bytes("Constants", "constant_bytes", report.constant_bytes, note)
        note = "of the model alone, without stack"
        yield _bytes("Arena", "arena_bytes", report.arena_bytes, note)
    if report.pushes is not None:
        yield _pushes(report.pushes)
    if run is None:
        return
    note = f"{_budget_words(report, run.unit)}{_counter(run.unit)}"
    yield Tile("One inference", run.unit, run.count, whole(run.count), run.unit, EXACT, note)
    yield from _time(run, None if build is None else build.clock_hz)
    if run.estimated_microjoules is not None:
        value, key = run.estimated_microjoules, "estimated_microjoules"
        note = f"{_budget_words(report, 'energy')}typical power of the part \u00d7 time"
        yield Tile("Energy", key, value, three_digits(value), "\u00b5J", ESTIMATE, note)


def _pushes(found: Pushes) -> Tile:
    rows = "row" if found.slide == 1 else f"{found.slide} rows"
    note = f"at most {found.most_macs:,} for one row; a window begins every {rows}"
    unit = "multiply-accumulates"
    return Tile("One window", "pushes.macs", found.macs, whole(found.macs), unit, EXACT, note)


def _counter(unit: str) -> str:
    emulator = "simavr" if unit == "cycles" else "QEMU"
    return f"the slowest inference of the run, counted by {emulator}"


def _memory(
    report: Report, title: str, kind: str, used: int, available: int | None, *, note: str
) -> Tile:
    share = used / available if available else None
    of = f"{percent(share)} of {available:,} B; " if share is not None else ""
    allowed = budgets_of(report).get(f"max_{kind}")
    return Tile(
        title,
        f"{kind}_bytes",
        used,
        whole(used),
        "B",
        EXACT,
        f"{of}{_budget_words(report, kind)}{note}",
        share,
        allowed / available if allowed and available else None,
    )


def _budget_words(report: Report, kind: str) -> str:
    """What may be taken at most, where an option says so."""
    allowed = budgets_of(report).get(f"max_{kind}")
    unit = {"flash": " B", "ram": " B", "energy": " \u00b5J"}.get(kind, "")
    return f"budget {allowed:,.12g}{unit}; " if allowed else ""


def _bytes(title: str, key: str, value: int, note: str) -> Tile:
    return Tile(title, key, value, whole(value), "B", EXACT, note)


def _ram_note(report: Report, build: Build) -> str:
    if build.stack_bytes is None:
        return f"arena {report.arena_bytes:,} B; stack not counted"
    return f"arena {report.arena_bytes:,} B, stack {build.stack_bytes:,} B at worst"


def _time(run: Run, clock_hz: int | None) -> Iterator[Tile]:
    at = f"at {three_digits(clock_hz / 1e6).rstrip('0').rstrip('.')} MHz" if clock_hz else ""
    if run.milliseconds is not None:
        value = run.milliseconds
        yield Tile("Time", "milliseconds", value, three_digits(value), "ms", EXACT, at)
    elif run.estimated_milliseconds is not None:
        value, key = run.estimated_milliseconds, "estimated_milliseconds"
        note = f"~{run.estimated_cycles:,} cycles by the core\u2019s table {at}"
        yield Tile("Time", key, value, three_digits(value), "ms", ESTIMATE, note)


def _by(report: Report) -> str:
    return "" if report.missing is None else f", after {report.missing}"


def verdict(report: Report) -> str:
    """One sentence on whether the firmware fits, and what is missing to say so."""
    part, build = report.target, report.build
    if build is None:
        return (
            f"Nothing was built for {part}: what follows is what the compiler knows by itself. "
            f"Flash, stack and speed come with a build and a run{_by(report)}."
        )
    if not build.target_flash_bytes or not build.target_ram_bytes:
        return f"{part} has no limits: its figures are those of the model\u2019s objects alone."
    flash = build.flash_bytes / build.target_flash_bytes
    ram = build.ram_bytes / build.target_ram_bytes
    if max(flash, ram) > 1:
        return f"It does not fit {part}."
    return (
        f"It fits: the firmware takes {percent(flash)} of the flash and {percent(ram)} of the RAM "
        f"of {part}."
    )
