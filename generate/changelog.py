"""What is not released yet, from the files of `changes/`.

python -m generate.changelog            # shows it
python -m generate.changelog VERSION    # at a release: into CHANGELOG.md, and the files go
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SECTIONS = ("Added", "Changed", "Fixed", "Removed")
"""In the order of the changelog."""
_HEADING = re.compile(r"^## ", re.M)
_VERSION = re.compile(r"\d+\.\d+\.\d+")


@dataclass(frozen=True)
class Change:
    """What a user notices, in a paragraph without a line break at its end."""

    section: str
    text: str


def change_files(root: Path) -> list[Path]:
    """The files of changes below the project's folder, in alphabetical order."""
    return sorted(set((root / "changes").glob("*.md")) - {root / "changes" / "README.md"})


def change_of(file: Path) -> Change:
    """What a file says; raises ValueError where its form is another one."""
    section, empty, *lines = [*file.read_text(encoding="utf-8").split("\n"), ""]
    while lines and not lines[-1]:
        lines.pop()
    if section not in SECTIONS:
        what = f"found {section!r}, expected one of {', '.join(SECTIONS)} in the first line"
        raise ValueError(f"{file.name}: {what}")
    if empty or not lines or not all(line and line == line.strip() for line in lines):
        what = "expected an empty line and one paragraph after the first line"
        raise ValueError(f"{file.name}: {what}")
    return Change(section, "\n".join(lines))


def unreleased(changes: Iterable[Change]) -> str:
    """The sections of the next version, each with an item for a change."""
    found = list(changes)
    sections = [
        f"### {section}\n\n" + "".join(_items(found, section))
        for section in SECTIONS
        if any(change.section == section for change in found)
    ]
    return "\n".join(sections)


def _items(changes: Iterable[Change], section: str) -> Iterator[str]:
    for change in changes:
        if change.section == section:
            yield "- " + change.text.replace("\n", "\n  ") + "\n"


def with_release(changelog: str, heading: str, text: str) -> str:
    """The changelog with a version above those that it has."""
    first = _HEADING.search(changelog)
    place = first.start() if first else len(changelog)
    return f"{changelog[:place]}## {heading}\n\n{text}\n{changelog[place:]}"


def release(root: Path, version: str, date: str) -> None:
    """Move all changes into CHANGELOG.md; raises ValueError and changes nothing where a file or
    the version is wrong, or where there is no change."""
    files = change_files(root)
    text = unreleased(map(change_of, files))
    changelog = root / "CHANGELOG.md"
    before = changelog.read_text(encoding="utf-8")
    if not _VERSION.fullmatch(version) or f"\n## {version} " in before:
        raise ValueError(f"found version {version!r}, expected a new one, such as 1.2.3")
    if not files:
        raise ValueError("changes/ has no file of a change")
    changelog.write_text(with_release(before, f"{version} ({date})", text), encoding="utf-8")
    for file in files:
        file.unlink()


def main(words: list[str] | None = None) -> None:
    """Print the sections, or release them under today's date."""
    parser = argparse.ArgumentParser(prog="python -m generate.changelog", description=__doc__)
    parser.add_argument("version", nargs="?", help="of the release")
    version = parser.parse_args(words).version
    try:
        if version is None:
            print(unreleased(map(change_of, change_files(ROOT))), end="")
        else:
            release(ROOT, version, datetime.now(UTC).date().isoformat())
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
