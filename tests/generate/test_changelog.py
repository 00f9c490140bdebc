"""The files of changes/ have their form, and become the sections of a version."""

from __future__ import annotations

from pathlib import Path

import pytest

from generate import changelog
from generate.changelog import SECTIONS, change_files, change_of, release, unreleased
from tests.conftest import PROJECT
from tests.docs.pages import links

FILES = change_files(PROJECT)
BEFORE = "# Changelog\n\nA line.\n\n## 0.1.0 (2026-11-21)\n\n- First.\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """One with three changes, and a version before."""
    folder = tmp_path / "changes"
    folder.mkdir()
    (folder / "README.md").write_text("# Changes\n", encoding="utf-8")
    (folder / "b.md").write_text("Added\n\nTwo\nlines.\n", encoding="utf-8")
    (folder / "a.md").write_text("Fixed\n\nA fault.\n", encoding="utf-8")
    (folder / "c.md").write_text("Added\n\nOne line.\n", encoding="utf-8")
    (tmp_path / "CHANGELOG.md").write_text(BEFORE, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_change(file: Path) -> None:
    """A section and a paragraph, and links that the changelog can have."""
    change = change_of(file)
    assert not change.text.startswith(("-", "#"))
    assert all((PROJECT / each).exists() for each in links(change.text) if "://" not in each)


def test_nothing_else_is_there() -> None:
    """A file with another ending would be in no release."""
    assert {each.suffix for each in (PROJECT / "changes").iterdir()} == {".md"}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "found '', expected one of Added"),
        ("New\n\nText.\n", "found 'New', expected one of Added, Changed, Fixed, Removed"),
        ("Added\nText.\n", "expected an empty line and one paragraph"),
        ("Added\n", "expected an empty line and one paragraph"),
        ("Added\n\nOne.\n\nTwo.\n", "expected an empty line and one paragraph"),
        ("Added\n\n- One.\n  Two.\n", "expected an empty line and one paragraph"),
    ],
)
def test_another_form(tmp_path: Path, text: str, what: str) -> None:
    """The message has the file and what is expected."""
    file = tmp_path / "name.md"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=rf"name\.md: {what}"):
        change_of(file)


def test_release(project: Path) -> None:
    """The new version comes first, its sections in their order, and no file of a change stays."""
    release(project, "0.2.0", "2026-12-01")
    text = (project / "CHANGELOG.md").read_text(encoding="utf-8")
    section = "### Added\n\n- Two\n  lines.\n- One line.\n\n### Fixed\n\n- A fault.\n"
    new = f"## 0.2.0 (2026-12-01)\n\n{section}\n"
    assert text == BEFORE.replace("## 0.1.0", f"{new}## 0.1.0")
    assert [each.name for each in (project / "changes").iterdir()] == ["README.md"]
    with pytest.raises(ValueError, match="no file of a change"):
        release(project, "0.3.0", "2026-12-01")


@pytest.mark.parametrize("version", ["0.1.0", "v0.2.0", "0.2"])
def test_wrong_version(project: Path, version: str) -> None:
    """Nothing is changed."""
    with pytest.raises(ValueError, match=f"found version '{version}', expected a new one"):
        release(project, version, "2026-12-01")
    assert (project / "CHANGELOG.md").read_text(encoding="utf-8") == BEFORE
    assert len(change_files(project)) == 3


def test_command_shows_them(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a version it changes nothing; a wrong file is one line and a status of 2."""
    monkeypatch.setattr(changelog, "ROOT", project)
    changelog.main([])
    assert capsys.readouterr().out == unreleased(map(change_of, change_files(project)))
    (project / "changes" / "d.md").write_text("Other\n\nText.\n", encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        changelog.main(["0.2.0"])
    assert ended.value.code == 2
    assert "error: d.md: found 'Other'" in capsys.readouterr().err
    assert (project / "CHANGELOG.md").read_text(encoding="utf-8") == BEFORE


def test_sections_are_explained() -> None:
    """The page next to the files names all of them."""
    page = (PROJECT / "changes" / "README.md").read_text(encoding="utf-8")
    assert all(f"`{section}`" in page for section in SECTIONS)
