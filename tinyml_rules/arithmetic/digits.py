"""Real numbers in messages, with enough digits to distinguish them."""

from __future__ import annotations

from itertools import takewhile

_FEWEST, _MOST = 6, 17
"""Significant digits: the second is enough for every two numbers of 64 bits."""


def texts_apart(first: float, second: float) -> tuple[str, str]:
    """Two numbers as texts that differ if the numbers do."""
    shown = [(f"{first:.{count}g}", f"{second:.{count}g}") for count in range(_FEWEST, _MOST + 1)]
    alike = list(takewhile(lambda pair: pair[0] == pair[1], shown))
    return shown[len(alike)] if first != second else shown[0]
