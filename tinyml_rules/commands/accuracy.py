"""`accuracy`: how often a model is right on labelled vectors, and whether that suffices."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tinyml_rules.accuracy.options import ACCURACY
from tinyml_rules.accuracy.run import accuracy_figures, measure_accuracy
from tinyml_rules.commands.console import Console
from tinyml_rules.commands.notes import add_depfile, for_build_systems, write_depfile
from tinyml_rules.request.command_line import (
    add_compile_options,
    add_model,
    add_options,
    add_targets_folder,
    chosen_name,
    chosen_options,
    chosen_target,
    model_bytes,
    read_files,
    values_of,
)
from tinyml_rules.system.files import write_anew
from tinyml_rules.system.ours import check_ours
from tinyml_rules.system.sources import accuracy_files
from tinyml_rules.target.target import HOST


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The bounds, and the options of a compilation, some of which decide what a model computes."""
    add_model(parser)
    add_options(parser, ACCURACY)
    parser.add_argument(
        "--out", type=Path, metavar="REPORT.json", help="write the figures to this file"
    )
    add_depfile(for_build_systems(parser), "REPORT.json")
    parser.add_argument("--json", action="store_true", help="print all figures as JSON")
    parser.add_argument(
        "--target", default=HOST, help="the target whose options of the .tinyml.toml apply"
    )
    add_targets_folder(parser)
    add_compile_options(parser)


def run(options: argparse.Namespace, console: Console) -> None:
    """Measure, write what was asked for, and print the figures.  Raises WrongOutputError, and
    writes nothing, where the model is worse than a bound."""
    bounds = values_of(options, ACCURACY)
    name, host = chosen_name(options), chosen_target(options, HOST)
    chosen = chosen_options(options, options.target)
    report = measure_accuracy(model_bytes(options), name, host, chosen, bounds)
    text = json.dumps(report, indent=2)
    if options.out:
        check_ours([options.out.name], options.out.parent, hint="write elsewhere with --out FILE")
        write_anew(options.out, f"{text}\n", like=r"\{")
        files = [*accuracy_files("cli.py", "commands/accuracy.py"), *map(str, host.files)]
        write_depfile(
            options.depfile, options.out, [*read_files(options), bounds["vectors"], *files]
        )
    console.result(text if options.json else f"TINYML  {name}: {accuracy_figures(report)}")
