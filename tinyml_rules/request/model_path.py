"""The model file that a person names: where it lies, or the one that was probably meant."""

from __future__ import annotations

from pathlib import Path

from tinyml_rules.errors import UsageError, did_you_mean

SUFFIX = ".tflite"


def existing_model(path: Path) -> Path:
    """The path itself.  Raises UsageError, with the closest name beside it, for no file."""
    if path.exists():
        return path
    beside = {each.stem: each for each in sorted(path.parent.glob(f"*{SUFFIX}"))}
    hint = did_you_mean(path.stem, beside)
    for stem, file in beside.items():
        hint = hint.replace(f"'{stem}'", f"'{file}'")
    what = "cannot be read (No such file or directory)"
    raise UsageError.at(str(path), what, hint=hint)
