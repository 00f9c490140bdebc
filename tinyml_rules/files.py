"""Files in and out: a readable error for one that is not there, no half-written output, no new date
for what is the same, and nothing in the place of a file that somebody else wrote."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from tinyml_rules.errors import Problem, UsageError

STAGING = ".tinyml-"
"""How the folder begins in which files are written before they get their names."""

_WEIGHTS = ".weights.bin"
_REPORTS = (".report.json", ".model.json")
_FIRST_LINE = re.compile(
    rb'(?:/\* |<!-- |\{\s*"comment": ")[A-Za-z]\w*: a model compiled by tinyml_rules[^\n]* not edit'
)
"""Of every text that a model is compiled to: C, picture and report."""
_FIRST_BYTES = 300
_NOT_OURS = "found a file that tinyml_rules did not generate, expected none or an older one of ours"


def first_line(name: str) -> str:
    """What every file says that is made of model `name`, so that it may be replaced."""
    return f"{name}: a model compiled by tinyml_rules.  Generated; do not edit."


def check_ours(files: Iterable[str], folder: Path, *, hint: str) -> None:
    """Raise UsageError for each of these files that is there and was not written here."""
    found = [folder / name for name in files]
    others = [file for file in found if (file.exists() or file.is_symlink()) and not is_ours(file)]
    if not others:
        return
    last = len(others) - 1
    raise UsageError(
        Problem(str(file), _NOT_OURS, hint if number == last else "")
        for number, file in enumerate(others)
    )


def is_ours(file: Path) -> bool:
    """Whether a file is generated: its first line says so, or for weights, which are bytes, the
    report beside it."""
    if file.name.endswith(_WEIGHTS):
        stem = file.name.removesuffix(_WEIGHTS)
        return any(_has_weights(file.with_name(stem + report)) for report in _REPORTS)
    try:
        with file.open("rb") as opened:
            return _FIRST_LINE.match(opened.read(_FIRST_BYTES)) is not None
    except OSError:
        return False


def _has_weights(report: Path) -> bool:
    try:
        return is_ours(report) and bool(json.loads(report.read_bytes())["external_bytes"])
    except (OSError, ValueError, KeyError):
        return False


def read_file(path: Path) -> bytes:
    """The bytes of a file; UsageError where it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError.at(str(path), f"cannot be read ({error.strerror})") from error


def write_files(files: Mapping[str, str | bytes], folder: Path) -> None:
    """All files or none: each is written under another name before the first one is renamed.

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
        changed = [name for name in data if not _holds(folder / name, data[name])]
        with tempfile.TemporaryDirectory(dir=folder, prefix=STAGING) as staging:
            for name in changed:
                for place in (Path(staging) / name, folder / name):
                    place.parent.mkdir(parents=True, exist_ok=True)
                (Path(staging) / name).write_bytes(data[name])
            for name in changed:
                os.replace(Path(staging) / name, folder / name)  # noqa: PTH105 - says "atomic"
    except OSError as error:
        raise UsageError.at(str(folder), f"cannot be written ({error.strerror})") from error


def write_anew(path: Path, text: str, *, like: str) -> None:
    """One file, with a new date whatever it held; its folder is made.

    `like`: the expression that the beginning of an older one matches; UsageError for another file.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not re.match(like.encode(), path.read_bytes()):
            raise UsageError.at(str(path), _NOT_OURS)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=STAGING) as staging:
            file = Path(staging) / path.name
            file.write_text(text, encoding="utf-8")
            os.replace(file, path)  # noqa: PTH105 - says "atomic"
    except OSError as error:
        raise UsageError.at(str(path), f"cannot be written ({error.strerror})") from error


def _holds(path: Path, data: bytes) -> bool:
    return path.is_file() and path.read_bytes() == data
