"""The parts that have room for a model, as lines and as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from tinyml_rules.errors import Way
from tinyml_rules.fitting.fit import Fit, Need, Result
from tinyml_rules.fitting.int4 import ByInt4
from tinyml_rules.fitting.int4_savings import BY_QUANTIZE
from tinyml_rules.ir.text import node_numbers
from tinyml_rules.reporting.rows import plain
from tinyml_rules.target.parts import FLASH, RAM

SHOWN = 12
"""Parts that fit, unless all are asked for."""


def fit_data(
    found: Sequence[Fit], ways: Sequence[tuple[Fit, Way]], narrow: Sequence[ByInt4]
) -> dict[str, Any]:
    """For a program."""
    return {
        "parts": [_part_data(each) for each in found],
        "ways": [{"part": fit.part.name, **asdict(way)} for fit, way in ways],
        "int4": [
            {
                "part": each.fit.part.name,
                "nodes": list(each.nodes),
                "saved_bytes": each.saved_bytes,
            }
            for each in narrow
        ],
    }


def _part_data(fit: Fit) -> dict[str, Any]:
    need = fit.need
    figures = None if need is None else _need_data(need)
    return {**asdict(fit.part), "result": fit.result, "reason": fit.reason, "needs": figures}


def _need_data(need: Need) -> dict[str, int]:
    return {
        "constant_bytes": need.constant_bytes,
        "least_flash_bytes": need.flash_bytes[0],
        "most_flash_bytes": need.flash_bytes[1],
        "planned_ram_bytes": need.planned_ram_bytes,
        "least_ram_bytes": need.ram_bytes[0],
        "most_ram_bytes": need.ram_bytes[1],
    }


def fit_lines(
    name: str,
    found: Sequence[Fit],
    ways: Sequence[tuple[Fit, Way]],
    narrow: Sequence[ByInt4],
    *,
    is_all: bool,
) -> Iterator[str]:
    """For a person: the parts that fit, or all, and what would make it fit on smaller ones."""
    fitting = [each for each in found if each.result is Result.FITS]
    rows = list(alike(found if is_all else fitting))
    shown = rows if is_all else rows[:SHOWN]
    yield (
        f"{name}: {len(fitting)} of {len(found)} parts have room; bytes, of which constants and "
        "tensors are exact, code and stack an estimate"
    )
    if shown:
        yield plain([cells(each) for each in shown])
    if len(rows) > len(shown):
        yield f"and {sum(map(len, rows[SHOWN:]))} larger ones (--all)"
    if ways or narrow:
        yield "what would make it fit on a smaller one:"
    yield from _told_ways(ways)
    yield from _told_int4(narrow)
    for reason in dict.fromkeys(each.reason for each in found if each.reason):
        names = [each.part.name for each in found if each.reason == reason]
        others = f" and {len(names) - 1} more" if len(names) > 1 else ""
        yield f"{names[0]}{others}: not for it: {reason}"


def alike(found: Sequence[Fit]) -> Iterator[list[Fit]]:
    """Parts that differ in what decides nothing here: names and clocks."""

    def kind(fit: Fit) -> tuple[object, ...]:
        part = fit.part
        return part.ram_bytes, part.flash_bytes, part.core, part.target

    for _, group in groupby(sorted(found, key=kind), key=kind):
        yield list(group)


def cells(parts: Sequence[Fit]) -> dict[str, object]:
    """The row of parts that are alike."""
    fit = parts[0]
    need = fit.need
    clocks = {round(each.part.clock_hz / 1_000_000) for each in parts if each.part.clock_hz}
    return {
        "part": fit.part.name + (f" and {len(parts) - 1} alike" if len(parts) > 1 else ""),
        "core": fit.part.core,
        "MHz": " or ".join(map(str, sorted(clocks))),
        "flash": fit.part.flash_bytes,
        "needs flash": need and _range(*need.flash_bytes),
        "RAM": fit.part.ram_bytes,
        "needs RAM": need and _range(*need.ram_bytes),
        "result": fit.result.value,
        "target": fit.part.target,
    }


def _range(least_bytes: int, most_bytes: int) -> str:
    return f"{least_bytes:,} to {most_bytes:,}"


def _told_ways(ways: Sequence[tuple[Fit, Way]]) -> Iterator[str]:
    for fit, way in ways:
        now, then = fit.need, way.needed_bytes
        assert now is not None
        changes = [
            f"{then[memory]:,} bytes of {what} instead of {before:,}"
            for memory, what, before in (
                (FLASH, "constants", now.constant_bytes),
                (RAM, "tensors", now.planned_ram_bytes),
            )
            if then[memory] != before
        ]
        if way.external_bytes:
            changes.append(f"{way.external_bytes:,} in a weights file")
        told = ", ".join(changes)
        yield f"  {fit.part.name} ({way.target}) with {' '.join(way.settings)}: {told}"


def _told_int4(narrow: Sequence[ByInt4]) -> Iterator[str]:
    for each in narrow:
        part, nodes = each.fit.part, node_numbers(each.nodes)
        yield (
            f"  {part.name} ({part.target}) with int4 weights in {nodes}, {BY_QUANTIZE}: about "
            f"{each.saved_bytes:,} bytes of constants less"
        )
