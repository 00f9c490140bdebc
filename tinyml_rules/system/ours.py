"""Which files are generated: only those may be replaced, no other file of the same name.

A build with nothing to do asks for every file, so that little is imported here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from tinyml_rules.errors import Problem, UsageError

_WEIGHTS = ".weights.bin"
_REPORTS = (".report.json", ".model.json")
_FIRST_LINE = re.compile(
    rb'(?:/\* |<!-- |\{\s*"comment": ")[A-Za-z]\w*: a model compiled by tinyml_rules[^\n]* not edit'
)
"""The beginning of every generated text: C, picture and report."""
_FIRST_BYTES = 300
QUANTIZED = "quantized by tinyml_rules"
"""The description in the file of a model that was quantized here."""
NOT_OURS = "found a file that tinyml_rules did not generate, expected none or an older one of ours"


def first_line(name: str) -> str:
    """The first line of every file generated from model `name`, which allows it to be replaced."""
    return f"{name}: a model compiled by tinyml_rules.  Generated; do not edit."


def check_ours(files: Iterable[str], folder: Path, *, hint: str) -> None:
    """Raise UsageError for each of these files that is there and was not written here."""
    found = [folder / name for name in files]
    others = [file for file in found if (file.exists() or file.is_symlink()) and not is_ours(file)]
    if not others:
        return
    last = len(others) - 1
    raise UsageError(
        Problem(str(file), NOT_OURS, hint if number == last else "")
        for number, file in enumerate(others)
    )


def left_over(files: Iterable[str], folder: Path) -> tuple[Path, ...]:
    """The weights that an earlier run made for these files, where they are none of them any more.

    To be asked before the report is written anew, which says whose they are.
    """
    made = set(files)
    stems = {
        name.removesuffix(report) for name in made for report in _REPORTS if name.endswith(report)
    }
    weights = sorted({f"{stem}{_WEIGHTS}" for stem in stems} - made)
    return tuple(folder / name for name in weights if is_ours(folder / name))


def is_ours(file: Path) -> bool:
    """Whether a file is generated: its first line says so, or, for weights, which are bytes, the
    report next to them, or, for a model, its description."""
    if not file.is_file():
        return False
    if file.suffix == ".tflite":
        return QUANTIZED.encode() in file.read_bytes()
    if file.name.endswith(_WEIGHTS):
        stem = file.name.removesuffix(_WEIGHTS)
        return any(_has_weights(file.with_name(stem + report)) for report in _REPORTS)
    try:
        with file.open("rb") as opened:
            return _FIRST_LINE.match(opened.read(_FIRST_BYTES)) is not None
    except OSError:
        return False


def _has_weights(report: Path) -> bool:
    import json  # noqa: PLC0415 - a build with nothing to do reads no report

    try:
        return is_ours(report) and bool(json.loads(report.read_bytes())["external_bytes"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False
