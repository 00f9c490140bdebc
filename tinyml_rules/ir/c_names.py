"""Names of models and tensors as C identifiers."""

from __future__ import annotations

import re
from collections.abc import Sequence

_KEYWORDS = frozenset(
    (
        *("auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else"),
        *("enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "register"),
        *("restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch"),
        *("typedef", "union", "unsigned", "void", "volatile", "while"),
    )
)


LONGEST_NAME = 63
"""As many characters of a name as every C compiler tells apart (C11, 5.2.4.1)."""


def wrong_with_name(name: str) -> str:
    """Why it cannot be the beginning of C identifiers; empty where it can."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        return "not a name for C symbols, expected a letter, then letters, digits and underscores"
    if len(name) > LONGEST_NAME:
        return (
            f"too long to begin C symbols with: {len(name)} characters, expected at most "
            f"{LONGEST_NAME}"
        )
    return "a keyword of C, expected another name" if name in _KEYWORDS else ""


def identifier(name: str) -> str:
    """`name` with everything that a C identifier cannot hold made an underscore."""
    text = re.sub(r"[^0-9A-Za-z_]", "_", name)
    return text if re.match(r"[A-Za-z]", text) else f"m{text}"


def unique_identifiers(names: Sequence[str]) -> list[str]:
    """An identifier for each name; of equal ones, each later one gets a number.

    Upper and lower case count as the same, because macros are made of them too."""
    taken: set[str] = set()
    result = []
    for name in names:
        base = candidate = identifier(name)
        number = 1
        while candidate.upper() in taken:
            number += 1
            candidate = f"{base}_{number}"
        taken.add(candidate.upper())
        result.append(candidate)
    return result
