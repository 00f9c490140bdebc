"""A firmware that is there already: how it is known, and what it gets."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from tinyml_rules.errors import UsageError
from tinyml_rules.projects.kind import Kind
from tinyml_rules.projects.project import Files, Order, words_for
from tinyml_rules.projects.render import filled, words_of
from tinyml_rules.system.files import write_files


def firmware_in(folder: Path, kind: Kind) -> Path | None:
    """The file by which a firmware of the kind is known in a folder; None if there is none."""
    found = (file for mark in kind.marks for file in sorted(folder.glob(mark)))
    return next(found, None)


def lines_for(order: Order, folder: Path) -> str:
    """What to add to the firmware in `folder`, as text; nothing is written."""
    model = os.path.relpath(order.model, folder)
    words = words_for(order, model=Path(model).as_posix(), is_new=False)
    added = filled(order.kind, "lines", words_of(order.kind, order.target, words))
    return "\n".join(f"{path}:\n\n{_indented(text)}" for path, text in added.items())


def _indented(text: str) -> str:
    return "".join(f"    {line}".rstrip() + "\n" for line in text.splitlines())


def write_new(files: Files, folder: Path) -> None:
    """Write all files of a project or none.  Raises UsageError, which names them, where files are
    there already."""
    check_new(files, folder)
    write_files(files, folder)


def check_new(files: Mapping[str, str | bytes], folder: Path) -> None:
    """Raise the UsageError."""
    there = sorted(path for path in files if os.path.lexists(folder / path))
    blocked = sorted(
        {
            parent.as_posix()
            for path in files
            for parent in Path(path).parents
            if parent != Path() and (folder / parent).is_symlink()
        }
    )
    if there or blocked:
        what = f"holds {', '.join([*there, *blocked])}, expected none of the files that are written"
        raise UsageError.at(str(folder), what, hint="name another folder with --out")
