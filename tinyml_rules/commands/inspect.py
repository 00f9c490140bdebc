"""`inspect`: what a model is, whether it is supported, and what a target makes of it."""

from __future__ import annotations

import argparse
import json

from tinyml_rules.api.inspect import inspect
from tinyml_rules.commands.console import Console
from tinyml_rules.request.command_line import add_model, add_operators, add_targets_folder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `inspect`."""
    add_model(parser)
    parser.add_argument(
        "--target", help="also show how the model fits this target, and with which kernels"
    )
    add_targets_folder(parser)
    add_operators(parser)
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument(
        "--all",
        "--verbose",
        action="store_true",
        help="show every node with its options and tensors",
    )
    shown.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument(
        "--kernels",
        action="store_true",
        help="also show the kernels that there are for each node, and what is against those that "
        "it does not have (of the host, without --target)",
    )


def run(options: argparse.Namespace, console: Console) -> None:
    """Print what is found; raises ModelError for a broken file, but not for an unsupported
    model."""
    found = inspect(
        options.model,
        options.target,
        kernels=options.kernels,
        name=options.name or "",
        target_folders=options.targets,
        operators=options.operators or (),
        progress=console.show,
    )
    if options.json:
        kernels = {"kernels": found.kernel_data()} if options.kernels else {}
        console.result(json.dumps({**found.to_json(), **kernels}, indent=2))
    else:
        console.result(found.text(is_all=options.all))
