"""What a compilation is asked to do, checked."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tinyml_rules.errors import UsageError
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.target import Target

_C_KEYWORDS = frozenset(
    (
        *("auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else"),
        *("enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "register"),
        *("restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch"),
        *("typedef", "union", "unsigned", "void", "volatile", "while"),
    )
)


@dataclass(frozen=True, eq=False)
class Request:
    """Compile the bytes of a model file for a target; every C symbol starts with `name`.

    `schedule`: run steps row by row together where that saves RAM, or every layer by itself.
    `push_rows`: the input comes a row at a time and never lies in RAM as a whole.
    `checked`: the generated code overwrites every byte of the arena that nothing may read again, so
    that a mistake of the memory plan gives wrong outputs; slow, for tests.
    """

    model: bytes
    name: str
    target: Target
    schedule: Mode = Mode.AUTO
    push_rows: bool = False
    checked: bool = False

    def __post_init__(self) -> None:
        """Raises UsageError for a name that C cannot use."""
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,62}", self.name) or self.name in _C_KEYWORDS:
            raise UsageError.at(
                repr(self.name),
                "not a name for C symbols, expected a letter, then letters, digits and underscores",
            )


def parse_mode(word: str) -> Mode:
    """The schedule that a word asks for; UsageError for an unknown one."""
    modes = [mode.value for mode in Mode]
    if word not in modes:
        raise UsageError.at("schedule", f"unknown '{word}', expected one of {', '.join(modes)}")
    return Mode(word)
