"""Differences as text: numbers, names of any origin, lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tinyml_rules.reporting.difference.compare import Change, Difference, Section
from tinyml_rules.reporting.difference.read import Number
from tinyml_rules.reporting.memory_picture.words import printable

MOST_ROWS = 10
"""Changes of a section that are shown."""
_MOST_OF_A_NAME = 72
HEAD = ("", "before", "now", "change", "")


def shown_name(name: str) -> str:
    """A name from a file, which may hold anything, without the middle of a long one."""
    text = printable(name) or "(no name)"
    if len(text) <= _MOST_OF_A_NAME:
        return text
    half = _MOST_OF_A_NAME // 2 - 1
    return f"{text[:half]}..{text[-half:]}"


def amount(value: Number | None, unit: str = "", *, is_signed: bool = False) -> str:
    """`1,622 B`; nothing where there is no figure."""
    if value is None:
        return ""
    digits = ",.4g" if isinstance(value, float) else ","
    return f"{value:{'+' if is_signed and value else ''}{digits}}{f' {unit}' if unit else ''}"


def cells(change: Change, unit: str) -> tuple[str, ...]:
    """Before, now, by how much, and what share of it that is, or what else changed."""
    share = "" if not change.share else f"{100 * change.share:+,.1f} %"
    return (
        amount(change.old, unit) or "-",
        amount(change.new, unit) or "-",
        "0" if change.delta == 0 else amount(change.delta, unit, is_signed=True),
        ", ".join(filter(None, (share, shown_name(change.note) if change.note else ""))),
    )


def title_of(found: Difference) -> str:
    """Which model and part."""
    return f"{shown_name(found.model)} on {shown_name(found.target)}"


def section_title(section: Section) -> str:
    """What a section lists, and all that it adds up to."""
    delta = amount(section.delta, section.unit, is_signed=True)
    return f"{section.title}: {delta or 0}, {len(section.changes)} changed"


def left_out(section: Section) -> str:
    """How many changes are not shown."""
    count = len(section.changes) - MOST_ROWS
    return f"and {count} smaller changes" if count > 0 else ""


def text_of(found: Difference) -> str:
    """For a terminal."""
    lines = [title_of(found), *(f"  {printable(each)}" for each in found.notes)]
    rows = [(each.name, *cells(each, each.unit)) for each in found.figures]
    lines += _table([HEAD, *rows])
    for section in found.sections:
        changes = section.changes[:MOST_ROWS]
        rows = [(shown_name(each.name), *cells(each, section.unit)) for each in changes]
        lines += ["", f"  {section_title(section)}", *_table(rows, indent="    ")]
        lines += [f"    {left_out(section)}"] if left_out(section) else []
    return "\n".join(lines)


def _table(rows: Sequence[Sequence[str]], *, indent: str = "  ") -> Iterator[str]:
    """The first and the last column are words, the others numbers."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    last = len(widths) - 1
    for row in rows:
        padded = [
            cell.ljust(width) if number in (0, last) else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield f"{indent}{'  '.join(padded)}".rstrip()
