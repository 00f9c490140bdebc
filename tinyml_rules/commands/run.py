"""`run`: build a model's firmware, feed it, and show or keep what comes out."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from tinyml_rules.api.compile import compile as compiled_of
from tinyml_rules.api.run import RunResult
from tinyml_rules.api.run import run as run_model
from tinyml_rules.commands.battery import add_battery, chosen_use
from tinyml_rules.commands.console import Console
from tinyml_rules.errors import UsageError
from tinyml_rules.overview.text import field
from tinyml_rules.reporting import tables
from tinyml_rules.reporting.battery import battery_life, life_lines
from tinyml_rules.reporting.profile import profile_lines
from tinyml_rules.reporting.record import to_json
from tinyml_rules.request.command_line import add_compilation, compile_arguments
from tinyml_rules.request.wording import worded
from tinyml_rules.runners.arrays import write_arrays
from tinyml_rules.runners.outputs import decision_lines, output_lines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of a compilation, and its own."""
    add_compilation(parser)
    parser.add_argument(
        "--input",
        type=Path,
        metavar="FILE",
        help="samples to run: .npy, or .npz by tensor name, of int8 or of float32 values, which "
        "are then quantized (default: one pseudo-random sample with a fixed seed)",
    )
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="write the outputs as .npy or .npz"
    )
    parser.add_argument(
        "--build-dir", type=Path, metavar="DIR", help="keep the built files in this folder"
    )
    parser.add_argument(
        "--profile",
        action="store_true",
        help="show the cycles or instructions of each node, also per multiply-accumulate and per "
        "output value",
    )
    parser.add_argument(
        "--trace",
        type=Path,
        metavar="FILE",
        help="with --profile: write when each node runs, for Perfetto or chrome://tracing",
    )
    add_battery(parser)
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(options: argparse.Namespace, console: Console) -> None:
    """Build, run, write the outputs where that is asked for, and print the rest.  Raises
    OverBudgetError."""
    made = compiled_of(
        options.model, options.target, progress=console.show, **compile_arguments(options)
    )
    for warning in made.warnings:
        console.tell(worded(warning, options.spelling))
    if options.trace and not options.profile:
        raise UsageError.at("run", "--trace needs --profile")
    use = chosen_use(options, made.target)
    found = run_model(
        made,
        options.input,
        profile=options.profile,
        trace=options.trace,
        folder=options.build_dir,
        progress=console.show,
    )
    if options.output:
        write_arrays(options.output, found.outputs)
    fed = found.fed if options.input else f"{found.fed}; --input FILE for yours"
    life = battery_life(found.run, made.target, use) if use else None
    if options.json:
        more = {"battery": asdict(life)} if life else {}
        console.result(json.dumps({**to_json(found.report), "fed": fed, **more}, indent=2))
    else:
        lines = [*_lines(found, fed), *(life_lines(life, use) if life and use else [])]
        console.result("\n".join(lines))


def _lines(found: RunResult, fed: str) -> Iterator[str]:
    """The text of a run."""
    interface = found.model.interface
    yield tables.run_summary(found.report)
    if found.judged:
        yield found.judged
    yield from field("input", fed)
    yield from output_lines(interface, found.outputs)
    yield from decision_lines(interface, found.outputs, found.model.compiled.decisions)
    if found.profile is not None:
        yield from profile_lines(found.profile)
