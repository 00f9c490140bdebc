"""The records that carry a model through the compiler, printed for a model.

`python -m generate.records MODEL.tflite --target NAME [OPTIONS]`; ARCHITECTURE.md shows what it
prints.  A field that has its default is left out.  Of several records the last is shown, and a
record of a kind that was shown before, or that is of no interest here, is `Name(...)`.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from tinyml_rules.compiler import compile_model, plan_program, select_program
from tinyml_rules.request.command_line import (
    add_compilation,
    chosen_name,
    chosen_target,
    model_bytes,
    request_of,
)
from tinyml_rules.request.request import Request

WIDTH = 96
"""Characters of a line."""
NAMED = frozenset(
    ("Account", "Attrs", "Contract", "Described", "Feature", "Known", "Request", "Trimmed")
)
"""Records that are never shown in full."""
MOST_NUMBERS = 8
"""Entries of a sequence of numbers or words that is shown whole."""
MOST_LETTERS = 40
"""Length of a string that is shown."""


def records_of(request: Request) -> tuple[object, ...]:
    """Graph, Program, Schedule, MemoryPlan, Interface and Compiled, in the order in which the
    compiler makes them."""
    program = select_program(request)
    schedule, plan = plan_program(program, request)
    compiled = compile_model(request)
    return program.graph, program, schedule, plan, compiled.interface, compiled


def records_text(records: tuple[object, ...]) -> str:
    """All of them, each from a line of its own."""
    printer = Printer()
    return "\n".join(printer.text(each, 0) for each in records)


class Printer:
    """Prints values as Python would write them, shortened; knows which records it has shown."""

    def __init__(self) -> None:
        self.shown = set(NAMED)

    def text(self, value: object, indent: int, before: str = "") -> str:
        """On one line if it fits after `before`, else as few lines as the width allows."""
        if not is_dataclass(value):
            return self._plain(value, indent, before)
        name = type(value).__name__
        if name in self.shown:
            return f"{name}(...)"
        self.shown.add(name)
        members = [
            f"{each.name}={self.text(getattr(value, each.name), indent + 4, f'{each.name}=')}"
            for each in fields(value)
            if not _is_default(each, getattr(value, each.name))
        ]
        return _joined(f"{name}(", members, indent, before)

    def _plain(self, value: object, indent: int, before: str) -> str:
        if isinstance(value, Mapping):
            if len(value) > MOST_NUMBERS:
                return f"{{{len(value)} entries}}"
            keys = [f"{_scalar(key)}: " for key in value]
            return self._several("{}", list(value.values()), indent, before, keys)
        if isinstance(value, frozenset):
            return self._several("{}", sorted(value, key=str), indent, before)
        if isinstance(value, tuple | list):
            return self._several("()", list(value), indent, before)
        return _scalar(value)

    def _several(
        self, ends: str, values: list[object], indent: int, before: str, keys: Sequence[str] = ()
    ) -> str:
        """All of them, or the last and how many more there are."""
        names, inside = keys or [""] * len(values), ""
        is_long = len(values) > MOST_NUMBERS or len({type(each) for each in values}) > 1
        if len(values) > 1 and (is_long or is_dataclass(values[0])):
            inside = f"{len(values) - 1} more, "
            names, values = names[-1:], values[-1:]
        begin = f"{ends[0]}{inside}"
        texts = [
            f"{key}{self.text(each, indent, f'{before}{begin}{key}')}"
            for key, each in zip(names, values, strict=True)
        ]
        comma = "," if ends == "()" and len(texts) == 1 and not inside else ""
        return f"{begin}{', '.join(texts)}{comma}{ends[1]}"


def _scalar(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    if isinstance(value, Enum | Path):
        return value.name if isinstance(value, Path) else f"{type(value).__name__}.{value.name}"
    if isinstance(value, float):
        return f"{value:.5g}"
    is_long = isinstance(value, str) and ("\n" in value or len(value) > MOST_LETTERS)
    return "..." if is_long or callable(value) else repr(value)


def _is_default(member: Field[Any], value: object) -> bool:
    default = member.default
    if member.default_factory is not MISSING:
        default = member.default_factory()
    return value is default or (isinstance(value, type(default)) and bool(value == default))


def _joined(start: str, members: list[str], indent: int, before: str) -> str:
    """On one line after `before`, else as few lines as the width allows."""
    line = f"{start}{', '.join(members)})"
    if indent + len(before) + len(line) <= WIDTH and "\n" not in line:
        return line
    margin = " " * (indent + 4)
    lines = [f"{margin}{member}" for member in members]
    packed = lines[:1]
    for each in lines[1:]:
        together = f"{packed[-1]}, {each.strip()}"
        is_short = len(together) <= WIDTH and "\n" not in together
        packed = [*packed[:-1], together] if is_short else [*packed, each]
    return f"{start}\n" + ",\n".join(packed) + ")"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="The records that carry a model, printed.")
    add_compilation(parser)
    arguments = parser.parse_args()
    name, target = chosen_name(arguments), chosen_target(arguments)
    print(records_text(records_of(request_of(arguments, model_bytes(arguments), name, target))))
