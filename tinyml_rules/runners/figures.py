"""The figures that a build and a run add to a model's report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tinyml_rules.firmware.interrupts import StackBound
from tinyml_rules.firmware.measure import Consumer, ImageSize
from tinyml_rules.ir.interface import Interface
from tinyml_rules.report.report import Report
from tinyml_rules.runners import RunResult
from tinyml_rules.target.target import Target


def describe_size(size: ImageSize, target: Target) -> Report:
    """The figures of the minimal firmware, in bytes, and the sizes of the part's memories."""
    memory = target.memory
    return {
        "flash_bytes": size.flash_bytes,
        "ram_bytes": size.ram_bytes,
        "static_ram_bytes": size.static_ram_bytes,
        **stack_figures(size.stack),
        "invoke_stack_bytes": size.invoke_stack_bytes,
        "largest": [
            {"symbol": each.symbol, "bytes": each.bytes, "region": each.region}
            for each in size.largest
        ],
        "symbols": symbol_figures(size.symbols),
        "compiler_flags": [flag for flag in target.toolchain.compile_flags if "/" not in flag],
        "clock_hz": target.clock_hz,
        "target_flash_bytes": memory.flash.bytes if memory else None,
        "target_ram_bytes": memory.ram.bytes if memory else None,
    }


def stack_figures(bound: StackBound | None) -> Report:
    """The worst-case stack: the deepest calls, and the interrupts that count on top."""
    return {
        "stack_bytes": None if bound is None else bound.bytes,
        "stack_path": [vars(each) for each in bound.path] if bound else [],
        "interrupts": [vars(each) for each in bound.interrupts] if bound else [],
    }


def symbol_figures(symbols: Iterable[Consumer]) -> list[dict[str, Any]]:
    """Each function and variable with its bytes in each memory; the initial value of a variable is
    in both."""
    return [
        {
            "symbol": each.symbol,
            "flash_bytes": each.bytes if each.is_stored else 0,
            "ram_bytes": each.bytes if each.region == "ram" else 0,
        }
        for each in symbols
    ]


def equal_summary(name: str, target: Target, *, samples: int, figures: Report) -> str:
    """One line on a run in which every output was as expected."""
    most = "".join(
        f", at most {figures[unit]:,} {unit}"
        for unit in ("cycles", "instructions")
        if unit in figures
    )
    if "estimated_cycles" in figures:
        most += f" (~{figures['estimated_cycles']:,} cycles)"
    return f"{name} on {target.name}: {samples} samples equal{most}"


def describe_run(result: RunResult, target: Target, interface: Interface) -> Report:
    """The most that one inference took, counted from the first instruction of each call to its end.

    simavr counts cycles, from which the time at the part's clock follows; QEMU counts
    instructions, and estimates cycles and time if the core has a table of cycles; the host counts
    nothing.
    """
    if not result.counts:
        return {}
    calls = interface.pushed_rows or 1
    most = _most(result.counts, calls)
    report: Report = {result.count_unit: most, "invoke_stack_measured_bytes": result.stack_bytes}
    if interface.pushed_rows:
        report[f"{result.count_unit}_of_slowest_row"] = max(result.counts)
    if result.read_bytes:
        report["external_bytes_read"] = max(
            sum(result.read_bytes[start : start + calls])
            for start in range(0, len(result.read_bytes), calls)
        )
    if result.count_unit == "cycles" and target.clock_hz:
        report["milliseconds"] = round(1000 * most / target.clock_hz, 8)
    if result.estimated_cycles and target.cycles:
        most = _most(result.estimated_cycles, calls)
        report["estimated_cycles"] = most
        report["estimated_cycles_source"] = target.cycles.source
        if target.clock_hz:
            report["estimated_milliseconds"] = round(1000 * most / target.clock_hz, 8)
    return {**report, **_energy(report, target)}


def _energy(report: Report, target: Target) -> Report:
    """The energy of an inference: always an estimate, from a typical figure of the part's maker."""
    time = report.get("milliseconds", report.get("estimated_milliseconds"))
    if target.power is None or time is None:
        return {}
    return {
        "estimated_microjoules": round(time * target.power.active_mw, 6),
        "estimated_microjoules_source": target.power.source,
    }


def _most(counts: Sequence[int], calls: int) -> int:
    """The largest count of an inference, each of so many calls."""
    return max(sum(counts[start : start + calls]) for start in range(0, len(counts), calls))
