"""Every relative link of a page leads to a file, and its anchor to a heading of that file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.docs.pages import DOCS, OF_THE_PROJECT, PAGES, README, ROOMS, anchors, links

OTHERS = (
    *OF_THE_PROJECT,
    PROJECT / "CHANGELOG.md",
    *sorted(set(PROJECT.glob("*/*/README.md")) - set(OF_THE_PROJECT)),
    PROJECT / "changes" / "README.md",
)


@pytest.mark.parametrize(
    "page", (*PAGES, *OTHERS), ids=lambda page: page.relative_to(PROJECT).as_posix()
)
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for link in links(page.read_text(encoding="utf-8")):
        if re.match(r"[a-z][a-z0-9+.-]*:", link):
            continue
        path, _, anchor = link.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            broken.append(link)
    assert broken == []


def test_every_page_is_reached() -> None:
    """From the README, link by link."""
    reached, pending = {README}, [README]
    while pending:
        page = pending.pop()
        for link in links(page.read_text(encoding="utf-8")):
            file = (page.parent / link.partition("#")[0]).resolve()
            if file.suffix == ".md" and file.is_file() and file not in reached:
                reached.add(file)
                pending.append(file)
    assert sorted({*DOCS.rglob("*.md"), *ROOMS} - reached) == []


def test_anchors_are_told_apart(tmp_path: Path) -> None:
    """The rule for anchors: punctuation goes, blanks become hyphens, equal ones get a number."""
    page = tmp_path / "page.md"
    page.write_text("# A `b`, c\n```\n# code\n```\n## Twice\n## Twice\n", encoding="utf-8")
    assert anchors(page) == {"a-b-c", "twice", "twice-1"}
