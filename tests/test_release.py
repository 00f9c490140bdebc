"""A version that can be tagged: said once, dated in the changelog, described for a registry."""

from __future__ import annotations

import re
import tomllib
import zipfile
from email import message_from_string
from email.message import Message
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.conftest import PROJECT
from tests.frontends.conftest import wheel  # noqa: F401 - a fixture
from tinyml_rules import __version__

UPLOAD_REFUSED = "Private :: Do Not Upload"
RESERVED = (".example", ".invalid", ".test")
"""Ends of names that are nobody's, by RFC 2606."""

_HEADING = re.compile(r"^## (.+)$", re.M)
_RELEASE = re.compile(r"(\d+)\.(\d+)\.(\d+) \((\d{4}-\d{2}-\d{2})\)")
_LINK = re.compile(r'(?:\]\(|href="|src="|srcset=")([^)"\s]+)')


def project_table() -> dict[str, Any]:
    """[project] of pyproject.toml."""
    table: dict[str, Any] = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))
    project: dict[str, Any] = table["project"]
    return project


def test_changelog_has_the_version() -> None:
    """Versions with a date, the newest first and the package's."""
    text = (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8")
    releases = _HEADING.findall(text)
    found = [_RELEASE.fullmatch(heading) for heading in releases]
    assert None not in found, releases
    parsed = [(tuple(map(int, each.groups()[:3])), each[4]) for each in found if each]
    assert ".".join(map(str, parsed[0][0])) == __version__
    for (newer, newer_date), (older, older_date) in pairwise(parsed):
        assert newer > older
        assert newer_date >= older_date


def test_address_is_said_once() -> None:
    """A registry refuses the package for as long as its address is a reserved name."""
    (address,) = project_table()["urls"].values()
    host = urlsplit(address).hostname or ""
    assert host.endswith(RESERVED) == (UPLOAD_REFUSED in project_table()["classifiers"])


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:  # noqa: F811
    """What the wheel says of itself."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
        return message_from_string(archive.read(name).decode())


def test_metadata_for_a_registry(metadata: Message) -> None:
    """Everything that a registry's page shows is there."""
    assert metadata["Version"] == __version__
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Description-Content-Type"] == "text/markdown"
    for field in ("Summary", "Author", "Keywords", "Requires-Python", "Project-URL"):
        assert metadata[field], field
    classifiers = metadata.get_all("Classifier") or []
    assert any(each.startswith("Topic :: Software Development :: Embedded") for each in classifiers)


def test_links_on_a_registry_page(metadata: Message) -> None:
    """All are absolute or lead to the same page; ours lead to files that are there, at the tag."""
    (address,) = project_table()["urls"].values()
    links = _LINK.findall(str(metadata.get_payload()))
    ours = [link for link in links if link.startswith(f"{address}/")]
    assert [each for each in links if not re.match(r"https://|#", each)] == []
    assert ours
    for link in ours:
        kind, tag, path = link.removeprefix(f"{address}/").split("/", maxsplit=2)
        assert (kind in ("blob", "raw"), tag) == (True, f"v{__version__}")
        assert (PROJECT / path.partition("#")[0]).exists(), link
