"""`fit`: the parts that have room for a model, the smallest first, without any tool."""

from __future__ import annotations

import argparse
import json

from tinyml_rules.api.fit import fit
from tinyml_rules.commands.console import Console
from tinyml_rules.request.command_line import (
    add_compile_options,
    add_model,
    add_targets_folder,
    compile_arguments,
)


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
    found = fit(
        options.model,
        [each for each in options.parts.split(",") if each],
        other_flash=options.other_flash,
        other_ram=options.other_ram,
        progress=console.show,
        **compile_arguments(options),
    )
    if options.json:
        console.result(json.dumps(found.to_json(), indent=2))
    else:
        console.result(found.text(is_all=options.all))
