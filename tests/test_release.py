"""A version that can be tagged: said once, dated in the changelog, described for a registry."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_string
from email.message import Message
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from generate import release
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


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """What a release changes and reads, in a folder of its own."""
    for name in (*release.SAID_IN, "CHANGELOG.md", "pyproject.toml", "docs/how-to/ci.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(PROJECT / name, tmp_path / name)
    (tmp_path / "changes").mkdir()
    (tmp_path / "changes" / "new.md").write_text("Added\n\nSomething new.\n")
    return tmp_path


def test_prepare(project: Path) -> None:
    """Every file says the new version and nothing else is changed; twice is refused."""
    release.prepare(project, "9.8.7", "2030-01-02")
    assert release.version_of(project) == "9.8.7"
    for name in (*release.SAID_IN, "docs/how-to/ci.md"):
        before, after = ((root / name).read_text() for root in (PROJECT, project))
        assert "9.8.7" in after
        assert after.replace("9.8.7", __version__) == before
    changelog = (project / "CHANGELOG.md").read_text()
    assert "## 9.8.7 (2030-01-02)\n\n### Added\n\n- Something new.\n" in changelog
    with pytest.raises(ValueError, match="expected a new one"):
        release.prepare(project, "9.8.7", "2030-01-02")


def test_build_wants_a_commit(project: Path) -> None:
    """Of a version that the changelog has."""
    for words in (["init", "--quiet"], ["add", "--all"]):
        subprocess.run(["git", *words], cwd=project, check=True)  # noqa: S607
    with pytest.raises(release.ReleaseError, match="not committed"):
        release.build(project, project, Path(sys.executable))
    author = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    (project / release.SAID_IN[0]).write_text('__version__ = "9.9.9"\n')
    subprocess.run(["git", *author, "commit", "-aqm", "x"], cwd=project, check=True)  # noqa: S607
    with pytest.raises(release.ReleaseError, match=r"CHANGELOG\.md has no 9\.9\.9"):
        release.build(project, project, Path(sys.executable))


def test_publish_without_a_token(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says what is lacking and what it would run, and runs none of it."""
    no_program = project / "python"
    release.publish(project, [project / "dist" / "a.whl"], {}, no_program)
    assert capsys.readouterr().out.splitlines() == [
        f"not published: pyproject.toml has the classifier '{UPLOAD_REFUSED}'",
        "not published: the variable TWINE_PASSWORD has no token",
        "would run: python -m twine upload --non-interactive dist/a.whl",
        f"would run: git push origin v{__version__}",
    ]
    assert release.lacking(project, {"TWINE_PASSWORD": "x"}) != []
