"""One table of a description file: every key known, every value of its type."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

from tinyml_rules.errors import UsageError, did_you_mean

LEAST, MOST = 1e-30, 1e30
"""Limits of a number, within which it and the results computed from it are finite in float32."""


@dataclass(frozen=True)
class Table:
    """The values by key; `where` is what an error calls the table, `folder` where the names of
    files begin.

    Every method raises UsageError.  Numbers are the decimals of the file, exactly.
    """

    values: Mapping[str, Any]
    where: str
    folder: Path = Path()

    def check_known(self, known: Iterable[str]) -> None:
        """Raise UsageError for an unknown key."""
        known = list(known)
        for key in self.values:
            if key not in known:
                what = f"unknown key '{key}', expected one of {', '.join(known)}"
                raise UsageError.at(self.where, what, hint=did_you_mean(key, known))

    def refuse(self, key: str, expected: str, *, hint: str = "") -> NoReturn:
        """Raise UsageError for a key with another value than expected."""
        what = f"'{key}' is {shown(self.values[key])}, expected {expected}"
        raise UsageError.at(self.where, what, hint=hint)

    def word(self, key: str, known: Iterable[str], default: str = "") -> str:
        """One of the known words; without a default the key has to be there."""
        known = list(known)
        value = self._given(key, default)
        if not isinstance(value, str) or value not in known:
            words = ", ".join(f'"{word}"' for word in known)
            self.refuse(key, f"one of {words}", hint=did_you_mean(str(value), known))
        return value

    def text(self, key: str, default: str = "") -> str:
        """A string; without a default the key has to be there."""
        value = self._given(key, default)
        if not isinstance(value, str) or not value:
            self.refuse(key, "a word")
        return value

    def check_one(self, *keys: str) -> None:
        """Raise UsageError where several of the keys are there."""
        if len(found := [key for key in keys if key in self.values]) > 1:
            one, other, *_ = found
            what = f"'{one}' and '{other}' exclude each other, expected one of them"
            raise UsageError.at(self.where, what)

    def integer(self, key: str, default: int, *, least: int, most: int = 2**31 - 1) -> int:
        """A whole number within limits."""
        value = self.values.get(key, default)
        if type(value) is not int or not least <= value <= most:
            self.refuse(key, f"a whole number from {least} to {most}")
        return value

    def boolean(self, key: str, *, default: bool) -> bool:
        """true or false."""
        value = self.values.get(key, default)
        if not isinstance(value, bool):
            self.refuse(key, "true or false")
        return value

    def number(self, key: str, default: Fraction | int) -> Fraction:
        """A finite real number."""
        return self._number(key, self.values[key]) if key in self.values else Fraction(default)

    def numbers(self, key: str, default: Fraction | int) -> tuple[Fraction, ...]:
        """A real number, or a list of them."""
        value = self.values.get(key)
        if not isinstance(value, list):
            return (self.number(key, default),)
        if not value:
            self.refuse(key, "a number, or a list of one for each channel")
        return tuple(self._number(key, each) for each in value)

    def _given(self, key: str, default: str) -> Any:
        if key not in self.values and not default:
            raise UsageError.at(self.where, f"no '{key}', which is required")
        return self.values.get(key, default)

    def _number(self, key: str, value: Any) -> Fraction:
        """Refuse a huge exponent before it becomes a fraction, which would fill the memory."""
        if type(value) not in (int, Decimal):
            self.refuse(key, "a number")
        is_finite = isinstance(value, int) or value.is_finite()
        size = abs(_float(value)) if is_finite else MOST * 2
        if not (value == 0 or LEAST <= size <= MOST):
            self.refuse(key, "a number, 0 or from 1e-30 to 1e30 in size")
        return Fraction(value) if size else Fraction(0)


def _float(value: int | Decimal) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def shown(value: Any) -> str:
    """A value of the file, for a message: short, as one would write it there."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        text = json.dumps(value, ensure_ascii=False)  # a line stays one
    elif isinstance(value, dict):
        return "a table"
    elif isinstance(value, list):
        text = f"[{', '.join(shown(each) for each in value[:4])}{', ...' if value[4:] else ''}]"
    elif isinstance(value, int) and abs(value) > 10**20:
        return "a number of more than 20 digits"
    else:
        text = str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
