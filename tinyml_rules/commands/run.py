"""`run`: build a model's firmware, feed it, and show or keep what comes out."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path

from tinyml_rules.commands.battery import add_battery, chosen_use
from tinyml_rules.commands.compiled import compiled_model, marked_model
from tinyml_rules.commands.console import Console
from tinyml_rules.compiler import Compiled
from tinyml_rules.errors import UsageError
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.interface import Interface
from tinyml_rules.overview.text import field
from tinyml_rules.reporting import tables
from tinyml_rules.reporting.battery import battery_life, life_lines
from tinyml_rules.reporting.budgets import budgets_of, check_run
from tinyml_rules.reporting.firmware import Profile
from tinyml_rules.reporting.profile import profile_lines
from tinyml_rules.reporting.record import to_json
from tinyml_rules.reporting.report import Report
from tinyml_rules.request.command_line import add_compilation, chosen_target
from tinyml_rules.runners.arrays import is_single_sample, read_arrays, unpack_samples, write_arrays
from tinyml_rules.runners.model import run_on_arrays
from tinyml_rules.runners.outputs import decision_lines, output_lines
from tinyml_rules.runners.pattern import pattern_inputs, pattern_text
from tinyml_rules.runners.profile import check_counts, profile_on_arrays
from tinyml_rules.target.target import Target


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
    target = chosen_target(options)
    compiled = compiled_model(options, target, console)
    _check_profile(options, target)
    use = chosen_use(options, target)
    interface = compiled.interface
    inputs, fed = _inputs(options.input, interface)
    where = str(options.input or "run")
    console.show(f"{interface.name}: building for {target.name}, and running there")
    outcome = run_on_arrays(compiled, target, inputs, where=where, folder=options.build_dir)
    report = outcome.report
    found = unpack_samples(interface, outcome.output)

    def profiled(trace: Path | None = None) -> Profile:
        console.show(f"{interface.name}: the same with marks, for a profile")
        model = marked_model(options, target)
        return profile_on_arrays(
            model, target, inputs, where=where, expected=found, run=report.run, trace=trace
        )

    if options.profile:
        report = replace(report, profile=profiled(options.trace))
    budgets, known = budgets_of(report), report.profile
    check_run(report.run, budgets, where=interface.name, profiled=lambda: known or profiled())
    if options.output:
        is_single = options.input is not None and is_single_sample(interface, inputs)
        outputs = unpack_samples(interface, outcome.output, is_single=is_single)
        write_arrays(options.output, outputs)
    life = battery_life(report.run, target, use) if use else None
    if options.json:
        more = {"battery": asdict(life)} if life else {}
        console.result(json.dumps({**to_json(report), "fed": fed, **more}, indent=2))
    else:
        text = "\n".join(_lines(compiled, report, found, fed))
        console.result("\n".join([text, *(life_lines(life, use) if life and use else [])]))


def _check_profile(options: argparse.Namespace, target: Target) -> None:
    """Raise UsageError where there can be none."""
    if options.trace and not options.profile:
        raise UsageError.at("run", "--trace needs --profile")
    if options.profile:
        check_counts(target)


def _lines(
    compiled: Compiled, report: Report, found: Mapping[str, Array], fed: str
) -> Iterator[str]:
    """The text of a run."""
    interface = compiled.interface
    yield tables.run_summary(report)
    yield from field("input", fed)
    yield from output_lines(interface, found)
    yield from decision_lines(interface, found, compiled.decisions)
    if report.profile is not None:
        yield from profile_lines(report.profile)


def _inputs(path: Path | None, interface: Interface) -> tuple[dict[str, Array], str]:
    """The inputs by tensor name, and what is said of them."""
    if path is None:
        return pattern_inputs(interface), f"{pattern_text(interface)}; --input FILE for yours"
    inputs = read_arrays(path, interface)
    real = [port for port in interface.inputs if inputs[port.tensor].dtype.kind == "f"]
    scales = ", ".join(
        f"{port.tensor!r} quantized with scale {port.scale:.6g} and zero point {port.zero_point}"
        for port in real
    )
    return inputs, f"{path}{': ' if scales else ''}{scales}"
