"""Figures and words as the page shows them."""

from __future__ import annotations

from collections.abc import Sequence

from tinyml_rules.reporting.memory_picture.words import printable

MOST_CHARACTERS = 80
"""Longest name in a table, in characters."""
_NO_NAME = "(no name)"


def whole(value: int) -> str:
    """A whole number with separators of thousands."""
    return f"{value:,}"


def two_places(value: float | None) -> str:
    """A ratio; nothing where there is none."""
    return "" if value is None else f"{value:,.2f}"


def percent(share: float) -> str:
    """A share of 1 in percent."""
    return f"{100 * share:.1f}\u202f%"


def shape(sizes: Sequence[int]) -> str:
    """`1 × 96 × 96 × 8`; of a scalar nothing."""
    return "\u202f×\u202f".join(f"{size:,}" for size in sizes)


def name(words: str) -> str:
    """A name of the file: what cannot be seen, or turns the direction of text, is a question mark;
    its middle is left out where it is long."""
    found = printable(words)
    if len(found) > MOST_CHARACTERS:
        half = MOST_CHARACTERS // 2
        found = f"{found[:half]}\u2026{found[-half:]}"
    return found if found.strip() else _NO_NAME
