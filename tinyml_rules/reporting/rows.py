"""Rows of names and values as text: tables for a page, and for a terminal."""

from __future__ import annotations

from typing import Any

Rows = list[dict[str, Any]]


def markdown(rows: Rows) -> str:
    """A table of GitHub's Markdown, without what is only true of this computer."""
    head = [key for key in rows[0] if key != "tools"]
    lines = [head, ["---"] * len(head), *([_cell(row[key]) for key in head] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def plain(rows: Rows) -> str:
    """Columns of equal width."""
    lines = [list(rows[0]), *([_cell(value) for value in row.values()] for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def _cell(value: object) -> str:
    return "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
