"""Does it fit: what a firmware takes of its part, and what one inference takes, as tiles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tinyml_rules.report.report import Report
from tinyml_rules.report_page.numbers import percent, three_digits, whole

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
    """The tiles for which the report has figures."""
    if "flash_bytes" in report:
        yield _memory(report, "Flash", "flash", "code, constants and startup")
        yield _memory(report, "RAM", "ram", _ram_note(report))
    else:
        note = "of the model alone; code is known after a build"
        yield _bytes(report, "Constants", "constant_bytes", note)
        yield _bytes(report, "Arena", "arena_bytes", "of the model alone, without stack")
    unit = unit_of(report)
    if unit:
        note = f"{_budget_words(report, unit)}{_counter(unit)}"
        yield Tile("One inference", unit, report[unit], whole(report[unit]), unit, EXACT, note)
    yield from _time(report)
    if "estimated_microjoules" in report:
        value = report["estimated_microjoules"]
        note = "typical power of the part \u00d7 time"
        yield Tile(
            "Energy", "estimated_microjoules", value, three_digits(value), "\u00b5J", ESTIMATE, note
        )


def unit_of(report: Report) -> str:
    """The unit that a run counted; empty if nothing ran or was counted."""
    return next((unit for unit in ("cycles", "instructions") if unit in report), "")


def _counter(unit: str) -> str:
    emulator = "simavr" if unit == "cycles" else "QEMU"
    return f"the slowest inference of the run, counted by {emulator}"


def _memory(report: Report, title: str, kind: str, note: str) -> Tile:
    used, available = report[f"{kind}_bytes"], report[f"target_{kind}_bytes"]
    share = used / available if available else None
    of = f"{percent(share)} of {available:,} bytes; " if share is not None else ""
    allowed = report["options"].get(f"max_{kind}")
    return Tile(
        title,
        f"{kind}_bytes",
        used,
        whole(used),
        "bytes",
        EXACT,
        f"{of}{_budget_words(report, kind)}{note}",
        share,
        allowed / available if allowed and available else None,
    )


def _budget_words(report: Report, kind: str) -> str:
    """The budget, if an option sets one."""
    allowed = report["options"].get(f"max_{kind}")
    return f"budget {allowed:,}; " if allowed else ""


def _bytes(report: Report, title: str, key: str, note: str) -> Tile:
    return Tile(title, key, report[key], whole(report[key]), "bytes", EXACT, note)


def _ram_note(report: Report) -> str:
    if report["stack_bytes"] is None:
        return f"arena {report['arena_bytes']:,}; stack not counted"
    return f"arena {report['arena_bytes']:,}, stack {report['stack_bytes']:,} at worst"


def _time(report: Report) -> Iterator[Tile]:
    clock = report.get("clock_hz")
    at = f"at {three_digits(clock / 1e6).rstrip('0').rstrip('.')} MHz" if clock else ""
    if "milliseconds" in report:
        value = report["milliseconds"]
        yield Tile("Time", "milliseconds", value, three_digits(value), "ms", EXACT, at)
    elif "estimated_milliseconds" in report:
        value, cycles = report["estimated_milliseconds"], report["estimated_cycles"]
        note = f"~{cycles:,} cycles by the core\u2019s table {at}"
        yield Tile(
            "Time", "estimated_milliseconds", value, three_digits(value), "ms", ESTIMATE, note
        )


def _by(report: Report) -> str:
    return f", after {report['missing']}" if "missing" in report else ""


def verdict(report: Report) -> str:
    """One sentence on whether the firmware fits, and what is missing to say so."""
    part = report["target"]
    if "flash_bytes" not in report:
        return (
            f"Nothing was built for {part}: what follows is what the compiler knows by itself. "
            f"Flash, stack and speed come with a build and a run{_by(report)}."
        )
    if not report["target_flash_bytes"]:
        return f"{part} has no limits: its figures are those of the model\u2019s objects alone."
    flash = report["flash_bytes"] / report["target_flash_bytes"]
    ram = report["ram_bytes"] / report["target_ram_bytes"]
    if max(flash, ram) > 1:
        return f"It does not fit {part}."
    return (
        f"It fits: the firmware takes {percent(flash)} of the flash and {percent(ram)} of the RAM "
        f"of {part}."
    )
