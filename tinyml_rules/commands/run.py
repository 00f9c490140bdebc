"""`run`: build a model's firmware, feed it, and show or keep what comes out."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

from tinyml_rules.compile import Compiled
from tinyml_rules.errors import UsageError
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.interface import Interface
from tinyml_rules.overview.text import field
from tinyml_rules.report import tables
from tinyml_rules.report.profile import profile_lines
from tinyml_rules.runners.arrays import is_single_sample, read_arrays, unpack_samples, write_arrays
from tinyml_rules.runners.model import run_on_arrays
from tinyml_rules.runners.outputs import decision_lines, output_lines
from tinyml_rules.runners.pattern import pattern_inputs, pattern_text
from tinyml_rules.runners.profile import check_counts, profile_on_arrays
from tinyml_rules.target.target import Target


def add_run(parser: argparse.ArgumentParser) -> None:
    """Its own options, beside those of a model and a target."""
    parser.add_argument(
        "--input",
        type=Path,
        help=".npy, or .npz by tensor name; int8, or float32 that is quantized (default: a fixed "
        "pseudo-random sample, which is told)",
    )
    parser.add_argument("--output", type=Path, help=".npy or .npz to write")
    parser.add_argument("--build-dir", type=Path, help="keep what is built in this folder")
    parser.add_argument(
        "--profile",
        action="store_true",
        help="tell what each node takes: cycles or instructions, by product and by value",
    )
    parser.add_argument(
        "--trace",
        type=Path,
        metavar="FILE",
        help="with --profile: when each node runs, for Perfetto or chrome://tracing",
    )
    parser.add_argument("--json", action="store_true", help="print the report")


def run_text(
    options: argparse.Namespace,
    compiled: Compiled,
    target: Target,
    marked: Callable[[], Compiled],
) -> str:
    """Build, run, write the outputs where that is asked for; returns what is printed.

    `marked`: the same model with marks, for a profile.
    """
    if options.trace and not options.profile:
        raise UsageError.at("run", "--trace without --profile, expected both")
    if options.profile:
        check_counts(target)
    interface = compiled.interface
    inputs, fed = _inputs(options.input, interface)
    where = str(options.input or "run")
    outcome = run_on_arrays(compiled, target, inputs, where=where, folder=options.build_dir)
    report = outcome.report
    found = unpack_samples(interface, outcome.output)
    if options.profile:
        report["profile"] = profile_on_arrays(
            marked(),
            target,
            inputs,
            where=where,
            expected=found,
            figures=report,
            trace=options.trace,
        )
    if options.output:
        is_single = options.input is not None and is_single_sample(interface, inputs)
        outputs = unpack_samples(interface, outcome.output, is_single=is_single)
        write_arrays(options.output, outputs)
    if options.json:
        return json.dumps({**report, "fed": fed}, indent=2)
    lines = [tables.run_summary(report), *field("fed", fed), *output_lines(interface, found)]
    lines += decision_lines(interface, found, compiled.decisions)
    lines += profile_lines(report["profile"]) if options.profile else []
    return "\n".join(lines)


def _inputs(path: Path | None, interface: Interface) -> tuple[dict[str, Array], str]:
    """The inputs by tensor name, and what is said of them."""
    if path is None:
        return pattern_inputs(interface), pattern_text(interface)
    inputs = read_arrays(path, interface)
    real = [port for port in interface.inputs if inputs[port.tensor].dtype.kind == "f"]
    scales = ", ".join(
        f"{port.tensor!r} quantized with scale {port.scale:.6g} and zero point {port.zero_point}"
        for port in real
    )
    return inputs, f"{path}{': ' if scales else ''}{scales}"
