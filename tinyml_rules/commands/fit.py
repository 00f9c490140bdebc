"""`fit`: the parts that have room for a model, the smallest first, without any tool."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import cache
from itertools import groupby
from typing import Any

from tinyml_rules.commands.console import Console
from tinyml_rules.errors import Way
from tinyml_rules.fitting.fit import Fit, Need, Result, fits, ways_to_smaller
from tinyml_rules.passes import simplified
from tinyml_rules.passes.check import check
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
from tinyml_rules.request.option import Kind, Option
from tinyml_rules.request.request import Request
from tinyml_rules.target.part_table import parts_named
from tinyml_rules.target.parts import FLASH, RAM

SHOWN = 12
"""Parts that fit, unless all are asked for."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `fit`."""
    add_model(parser)
    parser.add_argument(
        "--parts",
        default="",
        metavar="A,B,C",
        help="only parts whose names begin with one of these",
    )
    parser.add_argument(
        "--other-flash",
        default="0",
        metavar="BYTES",
        help="flash that the rest of the firmware takes",
    )
    parser.add_argument(
        "--other-ram", default="0", metavar="BYTES", help="RAM that the rest of the firmware takes"
    )
    parser.add_argument(
        "--all", action="store_true", help="show every part, also those that are too small"
    )
    parser.add_argument("--json", action="store_true", help="print every part as JSON")
    add_targets_folder(parser)
    add_compile_options(parser)
    parser.set_defaults(target="host")


def run(options: argparse.Namespace, console: Console) -> None:
    """Print the table.  Raises the model's own errors, which are those of every part, at once."""
    model, name = model_bytes(options), chosen_name(options)

    @cache
    def requested(target: str) -> Request:
        return request_of(options, model, name, chosen_target(options, target))

    anywhere = requested(options.target)
    check(simplified(graph_of(anywhere), anywhere.operators), anywhere.operators)
    parts = parts_named([each for each in options.parts.split(",") if each])
    other_flash = _BYTES.parse(options.other_flash, "other-flash")
    other_ram = _BYTES.parse(options.other_ram, "other-ram")
    found = fits(requested, parts, other_flash=other_flash, other_ram=other_ram)
    ways = list(ways_to_smaller(requested, found))
    if options.json:
        console.result(json.dumps({"model": name, **_data(found, ways)}, indent=2))
    else:
        console.result("\n".join(_lines(name, found, ways, is_all=options.all)))


_BYTES = Option("other", Kind.NUMBER, "")


def _data(found: Sequence[Fit], ways: Sequence[tuple[Fit, Way]]) -> dict[str, Any]:
    return {
        "parts": [_part_data(each) for each in found],
        "ways": [{"part": fit.part.name, **asdict(way)} for fit, way in ways],
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


def _lines(
    name: str, found: Sequence[Fit], ways: Sequence[tuple[Fit, Way]], *, is_all: bool
) -> Iterator[str]:
    fitting = [each for each in found if each.result is Result.FITS]
    rows = list(_alike(found if is_all else fitting))
    shown = rows if is_all else rows[:SHOWN]
    yield (
        f"{name}: {len(fitting)} of {len(found)} parts have room; bytes, of which constants and "
        "tensors are exact, code and stack an estimate"
    )
    if shown:
        yield plain([_cells(each) for each in shown])
    if len(rows) > len(shown):
        yield f"and {sum(map(len, rows[SHOWN:]))} larger ones (--all)"
    yield from _told_ways(ways)
    for reason in dict.fromkeys(each.reason for each in found if each.reason):
        names = [each.part.name for each in found if each.reason == reason]
        others = f" and {len(names) - 1} more" if len(names) > 1 else ""
        yield f"{names[0]}{others}: not for it: {reason}"


def _alike(found: Sequence[Fit]) -> Iterator[list[Fit]]:
    """Parts that differ in what decides nothing here: names and clocks."""

    def kind(fit: Fit) -> tuple[object, ...]:
        part = fit.part
        return part.ram_bytes, part.flash_bytes, part.core, part.target

    for _, group in groupby(sorted(found, key=kind), key=kind):
        yield list(group)


def _cells(alike: Sequence[Fit]) -> dict[str, object]:
    fit = alike[0]
    need = fit.need
    clocks = {round(each.part.clock_hz / 1_000_000) for each in alike if each.part.clock_hz}
    return {
        "part": fit.part.name + (f" and {len(alike) - 1} alike" if len(alike) > 1 else ""),
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
    if ways:
        yield "what would make it fit on a smaller one:"
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
