"""`ops`: the operators, as a table."""

from __future__ import annotations

import argparse

from tinyml_rules.commands.console import Console
from tinyml_rules.commands.forms import add_forms, table_text
from tinyml_rules.ops import load_operators
from tinyml_rules.reporting.tables import operator_rows
from tinyml_rules.request.command_line import add_operators, given_operators


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Folders of a user's operators, and forms of the table."""
    add_operators(parser)
    add_forms(parser)


def run(options: argparse.Namespace, console: Console) -> None:
    """Print the operators, a user's among them."""
    operators = load_operators(given_operators(options).get("operators", ()))
    console.result(table_text(operator_rows(operators), options))
