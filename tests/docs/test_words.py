"""The pages use the words that a native reader expects; mannerisms do not come back."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import OF_THE_PROJECT, PAGES, README

GENERATED = re.compile(r"<!-- (\w+) -->.*?<!-- /\1 -->", re.S)
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.M | re.S)
AVOIDED = (
    *(r"beside", r"behind", r"l(?:ie|ies|ying)", r"stands?|standing"),
    *(r"whoever|whatever", r"(?:is|are) told", r"of whom|for who\b"),
)
"""Say next to, compared with, after, is, reported."""
WRITTEN_BY_OTHERS = {"troubleshooting.md", "command_line.md"}
"""Pages that repeat the program's own words."""


@pytest.mark.parametrize("word", AVOIDED)
def test_word(word: str) -> None:
    """In prose: not in code, and not in what is generated."""
    found = []
    for page in (README, *PAGES[1:], *OF_THE_PROJECT):
        if page.name in WRITTEN_BY_OTHERS:
            continue
        prose = CODE.sub("", GENERATED.sub("", page.read_text(encoding="utf-8")))
        found += [
            f"{page.name}: {match[0]}"
            for match in re.finditer(rf"[^\n]*\b(?:{word})\b[^\n]*", prose, re.I)
        ]
    assert "\n".join(found) == ""
