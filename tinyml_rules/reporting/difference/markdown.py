"""Differences as a comment below a change: Markdown of GitHub and GitLab."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tinyml_rules.reporting.difference.compare import Difference, Section
from tinyml_rules.reporting.difference.words import (
    HEAD,
    MOST_ROWS,
    cells,
    left_out,
    section_title,
    shown_name,
)
from tinyml_rules.reporting.memory_picture.words import printable


def markdown_of(found: Sequence[Difference], notes: Sequence[str], broken: Sequence[str]) -> str:
    """All of them in one comment.  `notes`: which reports have no counterpart; `broken`: budgets,
    in sentences."""
    lines = [*(f"- **over budget:** {_code(each)}" for each in broken)]
    lines += [f"- {_code(each)}" for each in notes]
    for each in found:
        lines += ["", *_lines(each)]
    return "\n".join(lines).strip() + "\n"


def _lines(found: Difference) -> Iterator[str]:
    yield f"### {_name(found.model)} on {_name(found.target)}"
    yield ""
    if found.is_equal:
        yield "No figure changed."
        yield ""
    yield from (f"- {_code(each)}" for each in found.notes)
    yield ""
    yield from _table([(each.name, *cells(each, each.unit)) for each in found.figures])
    for section in found.sections:
        yield ""
        yield from _folded(section)


def _folded(section: Section) -> Iterator[str]:
    yield f"<details><summary>{section_title(section)}</summary>"
    yield ""
    rows = [
        (_name(each.name), *cells(each, section.unit)[:-1], _noted(cells(each, section.unit)[-1]))
        for each in section.changes[:MOST_ROWS]
    ]
    yield from _table(rows)
    yield ""
    yield left_out(section)
    yield "</details>"


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    for row in (HEAD, ("---", *["--:"] * 3, "---"), *rows):
        yield f"| {' | '.join(row)} |"


def _noted(text: str) -> str:
    """A share is plain; a note may hold a name of somebody's."""
    return _code(text) if any(each.isalpha() for each in text) else text


def _name(text: str) -> str:
    return _code(shown_name(text))


def _code(text: str) -> str:
    """A span of code, in which nothing is a mention, a link, HTML or the end of a cell."""
    inert = printable(text).replace("|", "¦").replace("`", "'")
    return f"`{inert}`"
