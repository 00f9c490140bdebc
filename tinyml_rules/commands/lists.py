"""`ops` and `targets`: what there is, as tables."""

from __future__ import annotations

import argparse
import json

from tinyml_rules.ops import load_operators
from tinyml_rules.report import tables
from tinyml_rules.report.rows import Rows, markdown, plain
from tinyml_rules.request.command_line import add_operators, add_targets_folder, given_operators
from tinyml_rules.target.compilers import likely_targets
from tinyml_rules.target.target import default_search


def add_ops(parser: argparse.ArgumentParser) -> None:
    """The options of `ops`."""
    add_operators(parser)
    _add_forms(parser)


def add_targets(parser: argparse.ArgumentParser) -> None:
    """The options of `targets`."""
    _add_forms(parser)
    add_targets_folder(parser)
    parser.add_argument(
        "--for-compiler",
        metavar="COMMAND",
        help="print only the names of the targets that this compiler may be for",
    )


def ops_text(options: argparse.Namespace) -> str:
    """The operators, a user's among them."""
    operators = load_operators(given_operators(options).get("operators", ()))
    return _text(tables.operator_rows(operators), options)


def targets_text(options: argparse.Namespace) -> str:
    """The targets, or their names alone."""
    search = (*options.targets, *default_search())
    if options.for_compiler:
        return "\n".join(likely_targets(options.for_compiler.split(), search))
    return _text(tables.target_rows(search), options)


def _add_forms(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the table as JSON")
    parser.add_argument("--markdown", action="store_true", help="print it as Markdown")


def _text(rows: Rows, options: argparse.Namespace) -> str:
    if options.json:
        return json.dumps(rows, indent=2)
    return markdown(rows) if options.markdown else plain(rows)
