"""`targets`: the targets, as a table."""

from __future__ import annotations

import argparse

from tinyml_rules.commands.console import Console
from tinyml_rules.commands.forms import add_forms, table_text
from tinyml_rules.reporting.tables import target_rows
from tinyml_rules.request.command_line import add_targets_folder
from tinyml_rules.target.compilers import likely_targets
from tinyml_rules.target.target import default_search


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Forms of the table, folders of further targets, and a compiler."""
    add_forms(parser)
    add_targets_folder(parser)
    parser.add_argument(
        "--for-compiler",
        metavar="COMMAND",
        help="print only the names of the targets that this compiler may be for",
    )


def run(options: argparse.Namespace, console: Console) -> None:
    """Print the targets, or their names alone."""
    search = (*options.targets, *default_search())
    if options.for_compiler:
        console.result("\n".join(likely_targets(options.for_compiler.split(), search)))
    else:
        console.result(table_text(target_rows(search), options))
