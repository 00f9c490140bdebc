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
"""Characters of a name that every C compiler tells apart (C11, 5.2.4.1)."""


def is_c_name(name: str) -> bool:
    """Whether it is a C identifier, and can be the beginning of others."""
    is_word = re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name)
    return bool(is_word) and len(name) <= LONGEST_NAME and not is_keyword(name)


def is_keyword(name: str) -> bool:
    """Whether the word is reserved in C."""
    return name in _KEYWORDS


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
