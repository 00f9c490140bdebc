"""A report from a file of whatever origin: what is missing in it is missing, what is wrong is told.

Reports of other versions lack figures, and those of a compilation alone have none of a firmware.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from tinyml_rules.errors import UsageError
from tinyml_rules.report.memory_picture.words import printable

SUFFIX = ".report.json"
MOST_BYTES = 1 << 26
"""Of a file; no report comes near."""

FIGURES = {
    "flash_bytes": ("flash", "B"),
    "ram_bytes": ("RAM", "B"),
    "static_ram_bytes": ("variables", "B"),
    "stack_bytes": ("stack", "B"),
    "arena_bytes": ("arena", "B"),
    "constant_bytes": ("constants", "B"),
    "external_bytes": ("weights file", "B"),
    "cycles": ("cycles", ""),
    "instructions": ("instructions", ""),
    "estimated_cycles": ("cycles, estimated", ""),
    "estimated_microjoules": ("energy, estimated", "µJ"),
}
"""The totals in their order: the key in a report, the word, the unit.  Flash and RAM are never
added; what variables hold at first is part of both."""

_LISTS = {
    ("nodes",): ("node", "op", "constant_bytes"),
    ("symbols",): ("symbol", "flash_bytes", "ram_bytes"),
    ("stack_path",): ("function", "bytes"),
    ("interrupts",): ("name", "bytes", "times"),
    ("peak", "tensors"): ("tensor", "name", "bytes"),
    ("profile", "nodes"): ("label", "op", "count"),
}
"""What the totals are made of, and what an entry of such a list has to have."""
_WORDS = {"op", "symbol", "function", "name", "label"}
_MOST_SHOWN = 40


def read_report(file: Path) -> dict[str, Any]:
    """What a file holds; raises UsageError that names it where that is no report."""
    where = str(file)
    try:
        if file.stat().st_size > MOST_BYTES:
            raise UsageError.at(where, f"has more than {MOST_BYTES:,} bytes, expected a report")
        text = file.read_text(encoding="utf-8")
        found = json.loads(text, parse_constant=_refuse_constant)
    except OSError as error:
        raise UsageError.at(where, f"cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise UsageError.at(where, f"not valid JSON: {error}, expected a report") from error
    is_report = isinstance(found, dict) and {"model", "target"} <= set(found)
    if not is_report or not all(isinstance(found[key], str) for key in ("model", "target")):
        what = "not a report of a model, expected the file NAME.report.json of a build"
        hint = "`tinyml_rules run MODEL.tflite --target NAME --json` prints one with all figures"
        raise UsageError.at(where, what, hint=hint)
    for key in FIGURES:
        _check_number(found.get(key), f"{where}: '{key}'")
    return _cleaned(found)


def _cleaned(report: dict[str, Any]) -> dict[str, Any]:
    """Without entries that are not as we write them, and with names that can be printed."""
    found: dict[str, Any] = {
        key: printable(each) if isinstance(each, str) else each for key, each in report.items()
    }
    for (*outer, key), needed in _LISTS.items():
        table = found
        for name in outer:
            held = found.get(name)
            table = found[name] = dict(held) if isinstance(held, dict) else {}
        table[key] = list(_entries(table.get(key), needed))
    return found


def _entries(found: object, needed: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    for each in found if isinstance(found, list) else ():
        if isinstance(each, dict) and all(_is_right(key, each.get(key)) for key in needed):
            yield {
                key: printable(value) if isinstance(value, str) else value
                for key, value in each.items()
            }


def _is_right(key: str, value: object) -> bool:
    return isinstance(value, str) if key in _WORDS else _is_number(value)


def number(found: Mapping[str, Any], key: str) -> int | float | None:
    """A figure; None where there is none."""
    value = found.get(key)
    return value if _is_number(value) else None


def _is_number(value: object) -> bool:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return is_whole or (isinstance(value, float) and math.isfinite(value))


def _check_number(value: object, where: str) -> None:
    if value is not None and not _is_number(value):
        raise UsageError.at(where, f"found {str(value)[:_MOST_SHOWN]!r}, expected a number")


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")
