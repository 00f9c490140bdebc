"""A report from a file of any origin: what is missing in it is missing, what is wrong is an error.

Reports of other versions lack figures, and those of a compilation alone have none of a firmware.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from tinyml_rules.errors import UsageError
from tinyml_rules.reporting.memory_picture.words import printable

Number = int | float
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


@dataclass(frozen=True)
class Part:
    """Something that has a name, and what it takes."""

    name: str
    size: Number


@dataclass(frozen=True)
class Node:
    """A node, with what it takes of flash or of the time."""

    label: str
    op: str
    kernel: str | None
    size: Number


@dataclass(frozen=True)
class Tensor:
    """A tensor of the arena's peak."""

    number: Number
    name: str
    size: Number


@dataclass(frozen=True)
class Figures:
    """What a report of any version says of a model; what it lacks is empty.

    `totals`: by the keys of FIGURES.  `counts`: of the nodes in a profile, in `unit`.
    """

    model: str
    target: str
    sha256: str
    totals: Mapping[str, Number]
    nodes: tuple[Node, ...]
    flash: tuple[Part, ...]
    ram: tuple[Part, ...]
    frames: tuple[Part, ...]
    handlers: tuple[Part, ...]
    peak: tuple[Tensor, ...]
    unit: str
    counts: tuple[Node, ...]


def read_report(file: Path) -> Figures:
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
    return _figures(found)


def _figures(found: dict[str, Any]) -> Figures:
    """Without entries that are not as we write them, and with names that can be printed."""
    profile = found.get("profile")
    unit = profile.get("unit") if isinstance(profile, dict) else ""
    symbols, frames = _entries(found, "symbols"), _entries(found, "stack_path")
    return Figures(
        model=printable(found["model"]),
        target=printable(found["target"]),
        sha256=_word(found.get("model_sha256")),
        totals={key: found[key] for key in FIGURES if found.get(key) is not None},
        nodes=tuple(_node(each, "constant_bytes") for each in _entries(found, "nodes")),
        flash=tuple(Part(each["symbol"], each["flash_bytes"]) for each in symbols),
        ram=tuple(Part(each["symbol"], each["ram_bytes"]) for each in symbols),
        frames=tuple(Part(each["function"], each["bytes"]) for each in frames),
        handlers=tuple(
            Part(each["name"], each["bytes"] * each["times"])
            for each in _entries(found, "interrupts")
        ),
        peak=tuple(
            Tensor(each["tensor"], each["name"], each["bytes"])
            for each in _entries(found, "peak", "tensors")
        ),
        unit=_word(unit),
        counts=tuple(_node(each, "count") for each in _entries(found, "profile", "nodes")),
    )


def _node(each: Mapping[str, Any], key: str) -> Node:
    kernel, label = each.get("kernel"), each.get("label", each.get("node"))
    return Node(str(label), each["op"], kernel if isinstance(kernel, str) else None, each[key])


def _word(value: object) -> str:
    return printable(value) if isinstance(value, str) else ""


def _entries(found: dict[str, Any], *path: str) -> list[dict[str, Any]]:
    """Those of a list that have what they need, as we write it."""
    table: object = found
    for name in path:
        table = table.get(name) if isinstance(table, dict) else None
    return [
        {key: printable(value) if isinstance(value, str) else value for key, value in each.items()}
        for each in (table if isinstance(table, list) else ())
        if isinstance(each, dict) and all(_is_right(key, each.get(key)) for key in _LISTS[path])
    ]


def _is_right(key: str, value: object) -> bool:
    return isinstance(value, str) if key in _WORDS else _is_number(value)


def _is_number(value: object) -> bool:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return is_whole or (isinstance(value, float) and math.isfinite(value))


def _check_number(value: object, where: str) -> None:
    if value is not None and not _is_number(value):
        raise UsageError.at(where, f"found {str(value)[:_MOST_SHOWN]!r}, expected a number")


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")
