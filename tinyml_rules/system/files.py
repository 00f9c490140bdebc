"""Files in and out: a readable error for one that is not there, no half-written output, and no new
date for what is the same."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from tinyml_rules.errors import UsageError
from tinyml_rules.system.computer import (
    System,
    is_taken_as_other,
    replace_file,
    this_system,
)
from tinyml_rules.system.ours import NOT_OURS

STAGING = ".tinyml-"
"""Prefix of the folder in which files are written before they get their names."""


def read_file(path: Path) -> bytes:
    """The bytes of a file; UsageError where it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError.at(str(path), f"cannot be read ({error.strerror})") from error


def write_files(files: Mapping[str, str | bytes], folder: Path) -> None:
    """Write all files or none: each is written under another name before the first is renamed.

    A name may be a path within `folder`; the folders on the way are made.  A file that holds these
    bytes already is left alone, so that a build system that goes by dates does not compile the same
    C again.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        data = {
            name: content if isinstance(content, bytes) else content.encode()
            for name, content in files.items()
        }
        for name in data:
            _check_replaceable(folder / name)
        changed = [name for name in data if not _holds(folder / name, data[name])]
        with tempfile.TemporaryDirectory(dir=folder, prefix=STAGING) as staging:
            for name in changed:
                for place in (Path(staging) / name, folder / name):
                    place.parent.mkdir(parents=True, exist_ok=True)
                (Path(staging) / name).write_bytes(data[name])
            for name in changed:
                replace_file(Path(staging) / name, folder / name)
    except OSError as error:
        raise UsageError.at(str(folder), f"cannot be written ({error.strerror})") from error


def remove_files(files: Iterable[Path]) -> None:
    """Remove files that are no longer needed, if they exist."""
    for file in files:
        try:
            file.unlink(missing_ok=True)
        except OSError as error:
            raise UsageError.at(str(file), f"cannot be removed ({error.strerror})") from error


def write_anew(path: Path, text: str, *, like: str) -> None:
    """Write one file, always with a new date; creates its folder.

    `like`: the expression that the beginning of an older one matches; UsageError for another file.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _check_replaceable(path)
        if path.exists() and not re.match(like.encode(), path.read_bytes()):
            raise UsageError.at(str(path), NOT_OURS)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=STAGING) as staging:
            file = Path(staging) / path.name
            file.write_bytes(text.encode())
            replace_file(file, path)
    except OSError as error:
        raise UsageError.at(str(path), f"cannot be written ({error.strerror})") from error


def _check_replaceable(path: Path) -> None:
    """A device, which may be read without end and must not be renamed over, is no output."""
    if this_system() is System.WINDOWS and is_taken_as_other(path.name):
        what = "is no name of a file on Windows, which has devices of such names, expected another"
        raise UsageError.at(str(path), what)
    if path.exists() and not path.is_file() and not path.is_dir():
        raise UsageError.at(str(path), "is not a regular file, expected one or a new name")


def _holds(path: Path, data: bytes) -> bool:
    return path.is_file() and path.read_bytes() == data
