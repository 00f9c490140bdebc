"""Reads the model file that a user names; for other files the error suggests the file that was
probably meant, or names the file's format."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from tinyml_rules.errors import ModelError, UsageError, did_you_mean
from tinyml_rules.model_file.c_array import array_bytes
from tinyml_rules.model_file.flatbuffer import has_identifier
from tinyml_rules.model_file.other_formats import (
    C_SOURCE,
    OtherFormat,
    other_folder,
    other_format,
)
from tinyml_rules.model_file.reader import FILE_IDENTIFIER
from tinyml_rules.model_file.suffixes import C_SUFFIXES, SUFFIX
from tinyml_rules.system.files import read_file

_MOST_NAMES = 5
_EXPECTED = "expected a .tflite file"


def read_model_file(path: Path, *, shown: str = "") -> bytes:
    """The bytes of a .tflite file, or of the one in a C array; `shown`: how messages name it.

    Raises UsageError, with the closest name next to it, where there is no file; ModelError where
    it is one of another format."""
    named = Path(shown or path)
    if path.is_dir():
        _refuse(other_folder(path), named)
        files = ", ".join(sorted(each.name for each in path.glob(f"*{SUFFIX}"))[:_MOST_NAMES])
        hint = f"name one of the files in it: {files}" if files else ""
        raise UsageError.at(str(named), f"is a folder, {_EXPECTED}", hint=hint)
    data = read_file(existing_model(path))
    if _is_model(data):
        return data
    found = other_format(data, named)
    array = None if found else array_bytes(data, str(named), _is_model)
    if array is None:
        _refuse(found or _c_source(data, path, named), named)
        return data
    if not _is_model(array):
        inside = other_format(array, Path())
        found_there = inside.what if inside else f"not a model: it begins with {array[:8]!r}"
        raise ModelError.at(str(named), f"has an array that is {found_there}, {_EXPECTED}")
    return array


def format_of(path: Path) -> OtherFormat | None:
    """The format of a file or a folder that is none of a .tflite; None for one that is not known.

    Raises UsageError where there is none."""
    if existing_model(path).is_dir():
        return other_folder(path)
    data = read_file(path)
    return None if _is_model(data) else other_format(data, path)


def _is_model(data: bytes) -> bool:
    return has_identifier(data, FILE_IDENTIFIER)


_EMBEDDED = re.compile(rb"\{\s*#\s*embed\s*[\"<]([^\">\n]+)[\">]")


def _c_source(data: bytes, path: Path, named: Path) -> OtherFormat | None:
    """C source without an array; the hint names the file that it embeds, or one next to it that may
    have the array, such as the source of a header."""
    if named.suffix not in C_SUFFIXES:
        return None
    if embedded := _EMBEDDED.search(data):
        inside = embedded[1].decode("utf-8", "replace")
        return replace(C_SOURCE, hint=_plain(f"name the file that it embeds, {inside}"))
    files = (path.with_suffix(suffix) for suffix in C_SUFFIXES if suffix != path.suffix)
    found = next((each for each in files if each.is_file()), None)
    if found is None:
        return C_SOURCE
    return replace(C_SOURCE, hint=_plain(f"name {named.with_name(found.name)}, which may have it"))


def _plain(hint: str) -> str:
    """A hint without placeholders."""
    return hint.replace("{", "{{").replace("}", "}}")


def existing_model(path: Path) -> Path:
    """The path itself.  Raises UsageError, with the closest name next to it, if there is no
    file."""
    if path.exists():
        return path
    beside = {each.stem: each for each in sorted(path.parent.glob(f"*{SUFFIX}"))}
    hint = did_you_mean(path.stem, beside)
    for stem, file in beside.items():
        hint = hint.replace(f"'{stem}'", f"'{file}'")
    what = "cannot be read (No such file or directory)"
    raise UsageError.at(str(path), what, hint=hint)


def _refuse(found: OtherFormat | None, path: Path) -> None:
    if found:
        what = f"is {found.what}, {_EXPECTED}"
        raise ModelError.at(str(path), what, hint=found.hint_for(path))
