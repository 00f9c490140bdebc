"""The pages as the tests of this folder see them: their text, code blocks, links and headings."""

from __future__ import annotations

import re
from pathlib import Path

from tests.conftest import PROJECT

DOCS = PROJECT / "docs"
README = PROJECT / "README.md"
PAGES = (README, *sorted(DOCS.rglob("*.md")))
ARCHITECTURE = PROJECT / "ARCHITECTURE.md"
CONTRIBUTING = PROJECT / "CONTRIBUTING.md"
ROOMS = tuple(sorted((PROJECT / "tinyml_rules").rglob("README.md")))
"""Pages about the rooms of the package."""
OF_THE_PROJECT = (ARCHITECTURE, CONTRIBUTING, PROJECT / "RELEASING.md", *ROOMS)
"""Pages for those who work on this project."""

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
_INLINE_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r'(?:\]\(|href="|src="|srcset=")([^)"\s]+)')
_HEADING = re.compile(r"^#{1,6} (.+)$", re.M)


def read_page(name: str) -> str:
    """The text of a page of docs/."""
    return (DOCS / name).read_text(encoding="utf-8")


def code_blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of a language in order; "" for those that name none."""
    return [code for word, code in _BLOCK.findall(text) if word == language]


def links(text: str) -> list[str]:
    """The targets of links and pictures outside of code."""
    return _LINK.findall(_INLINE_CODE.sub("``", _BLOCK.sub("", text)))


def anchors(file: Path) -> set[str]:
    """What a link to a heading of a page may end in, made as GitHub makes it."""
    text = _BLOCK.sub("", file.read_text(encoding="utf-8"))
    found: set[str] = set()
    for heading in _HEADING.findall(text):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        number = 0
        while (unique := f"{slug}-{number}" if number else slug) in found:
            number += 1
        found.add(unique)
    return found
