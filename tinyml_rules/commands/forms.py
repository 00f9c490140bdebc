"""A table as plain text, JSON or Markdown."""

from __future__ import annotations

import argparse
import json

from tinyml_rules.reporting.rows import Rows, markdown, plain


def add_forms(parser: argparse.ArgumentParser) -> None:
    """The forms other than plain text."""
    parser.add_argument("--json", action="store_true", help="print the table as JSON")
    parser.add_argument("--markdown", action="store_true", help="print it as Markdown")


def table_text(rows: Rows, options: argparse.Namespace) -> str:
    """The table in the chosen form."""
    if options.json:
        return json.dumps(rows, indent=2)
    return markdown(rows) if options.markdown else plain(rows)
