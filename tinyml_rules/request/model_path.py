"""Reads the model file that a user names; for other files the error suggests the file that was
probably meant, or names the file's format."""

from __future__ import annotations

from pathlib import Path

from tinyml_rules.errors import ModelError, UsageError, did_you_mean
from tinyml_rules.model_file.c_array import C_SUFFIXES, array_bytes
from tinyml_rules.model_file.flatbuffer import has_identifier
from tinyml_rules.model_file.other_formats import (
    C_SOURCE,
    OtherFormat,
    other_folder,
    other_format,
)
from tinyml_rules.model_file.reader import FILE_IDENTIFIER
from tinyml_rules.system.files import read_file

SUFFIX = ".tflite"
SUFFIXES = (SUFFIX, *C_SUFFIXES)
"""Suffixes of the files from which models are read."""


def read_model_file(path: Path, *, shown: str = "") -> bytes:
    """The bytes of a .tflite file, or of the one in a C array; `shown`: how messages name it.

    Raises UsageError, with the closest name next to it, where there is no file; ModelError where
    it is one of another format."""
    named = Path(shown or path)
    if path.is_dir():
        _refuse(other_folder(path), named)
    data = read_file(existing_model(path))
    if has_identifier(data, FILE_IDENTIFIER):
        return data
    found = other_format(data, named)
    array = None if found else array_bytes(data, str(named))
    if array is None:
        _refuse(found or (C_SOURCE if named.suffix in C_SUFFIXES else None), named)
        return data
    inside = None if has_identifier(array, FILE_IDENTIFIER) else other_format(array, Path())
    if inside:
        raise ModelError.at(
            str(named), f"has an array that is {inside.what}, expected a .tflite file"
        )
    return array


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
        what = f"is {found.what}, expected a .tflite file"
        raise ModelError.at(str(path), what, hint=found.hint_for(path))
