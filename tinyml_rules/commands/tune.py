"""`tune`: measure the kernels that a model's nodes can have, and record the fastest next to it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tinyml_rules.commands.compiled import requested
from tinyml_rules.commands.console import Console
from tinyml_rules.errors import UsageError
from tinyml_rules.ir.text import operator_name
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.reporting.rows import plain
from tinyml_rules.request.command_line import add_compilation, chosen_target
from tinyml_rules.request.options_file import options_file
from tinyml_rules.system.files import write_files
from tinyml_rules.target.missing import check_counts
from tinyml_rules.target.target import Target
from tinyml_rules.tune.file import with_kernels
from tinyml_rules.tune.tune import Layer, Tuned, tune, unit_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of a compilation, and its own."""
    add_compilation(parser)
    parser.add_argument("--dry-run", action="store_true", help="measure, but write no file")
    parser.add_argument(
        "--json", action="store_true", help="print everything that was measured as JSON"
    )


def run(options: argparse.Namespace, console: Console) -> None:
    """Measure, write the file, and print what was measured."""
    request = requested(options, chosen_target(options))
    if request.optimize is Optimize.SIZE:
        what = (
            "'size' shares one kernel between layers, so there is nothing to tune, expected "
            "another goal"
        )
        raise UsageError.at("optimize", what)
    check_counts(request.target)
    tuned = tune(request, console.show)
    console.show("")
    file = _chosen_file(options)
    if not options.dry_run:
        write_kernels(file, request.target, tuned.kernels)
    if options.json:
        console.result(json.dumps(_data(tuned, request.target), indent=2))
    else:
        lines = tune_lines(tuned, request.target, "" if options.dry_run else str(file))
        console.result("\n".join(lines))


def write_kernels(file: Path, target: Target, kernels: Mapping[str, str]) -> None:
    """The file with these kernels for the target; none is made to say nothing."""
    before = file.read_text(encoding="utf-8") if file.exists() else ""
    text = with_kernels(before, target.name, kernels, where=file)
    if text != before:
        write_files({file.name: text}, file.parent)


def tune_lines(tuned: Tuned, target: Target, file: str) -> Iterator[str]:
    """The measured counts by node, and the result."""
    unit = unit_of(target)
    yield f"{unit} of each node's kernels on {target.name}; the usual one first, * the choice"
    rows = [row for layer in tuned.layers for row in _rows(layer, tuned.kernels, unit)]
    yield plain(rows) if rows else "  no node has more than one kernel there"
    if not tuned.kernels:
        yield "the usual kernels are the fastest"
        return
    usual, found = tuned.usual, tuned.found
    yield (
        f"{usual.count:,} {unit} become {found.count:,}; flash {usual.flash_bytes:,} B, "
        f"then {found.flash_bytes:,} B"
    )
    if file:
        yield f"{file}: written; builds read it beside the model"


def _rows(layer: Layer, kernels: Mapping[str, str], unit: str) -> Iterator[dict[str, object]]:
    chosen = kernels.get(layer.label, layer.usual.kernel)
    for number, each in enumerate(layer.tried):
        yield {
            "node": "" if number else layer.label,
            "operator": "" if number else operator_name(layer.op),
            "kernel": f"{each.kernel}{' *' if each.kernel == chosen else ''}",
            unit: "does not fit" if each.count is None else each.count,
        }


def _data(tuned: Tuned, target: Target) -> dict[str, Any]:
    return {
        "target": target.name,
        "unit": unit_of(target),
        "nodes": [
            {"node": layer.label, "op": layer.op, "kernels": [asdict(each) for each in layer.tried]}
            for layer in tuned.layers
        ],
        "kernels": dict(tuned.kernels),
        "usual": asdict(tuned.usual),
        "found": asdict(tuned.found),
    }


def _chosen_file(options: argparse.Namespace) -> Path:
    return Path(options.options) if options.options else options_file(options.model)
