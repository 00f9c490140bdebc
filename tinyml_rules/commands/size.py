"""`size`: what the minimal firmware of a model takes on several targets, without any input."""

from __future__ import annotations

import argparse
import json

from tinyml_rules.api.size import size
from tinyml_rules.commands.console import Console
from tinyml_rules.errors import TinymlError, UsageError
from tinyml_rules.request.command_line import (
    add_compile_options,
    add_model,
    add_targets_folder,
    compile_arguments,
)
from tinyml_rules.request.wording import worded

ALL = "all"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `size`."""
    add_model(parser)
    parser.add_argument(
        "--target",
        default=ALL,
        metavar="A,B,C",
        help="targets, parts or boards, with commas between them (default: all targets)",
    )
    add_targets_folder(parser)
    add_compile_options(parser)
    parser.add_argument(
        "--run",
        dest="is_run",
        action="store_true",
        help="run one pseudo-random sample on each target, and show time and energy too",
    )
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")


def run(options: argparse.Namespace, console: Console) -> None:
    """Print the table.  Raises the model's own errors, which are those of every target, at once,
    and after the table those of targets alone."""
    found = size(
        options.model,
        _names(options),
        run=options.is_run,
        progress=console.show,
        **compile_arguments(options),
    )
    text = json.dumps(found.to_json(), indent=2) if options.json else str(found)
    console.result(worded(text))
    if found.problems:
        raise TinymlError(found.problems)


def _names(options: argparse.Namespace) -> list[str] | None:
    if options.target == ALL:
        return None
    names = [word.strip() for word in options.target.split(",")]
    if not all(names):
        what = f"'{options.target}', expected targets separated by commas"
        raise UsageError.at("target", what)
    return names
