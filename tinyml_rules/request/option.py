"""The record of an option, and the parsing of its value from a text or a Python value.

Each step of a build has a table of such rows, from which every way in takes them.  Little is
imported, because SCons reads this whenever it starts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any

from tinyml_rules.errors import UsageError, did_you_mean

MOST_DIGITS = 12
"""The most digits of a whole number."""
_SWITCH_WORDS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


class Kind(StrEnum):
    """The kinds of values of options."""

    WORD = "word"
    NUMBER = "number"
    SWITCH = "switch"
    PAIRS = "pairs"
    FOLDERS = "folders"
    FILE = "file"
    REAL = "real"
    ENERGY = "energy"
    TEXT = "text"
    AMOUNT = "amount"
    """A number, or a word instead of one."""

    @property
    def is_path(self) -> bool:
        """Whether it names folders or a file, on which what is made then depends."""
        return self in (Kind.FOLDERS, Kind.FILE)

    @property
    def is_list(self) -> bool:
        """Whether there may be several values."""
        return self in (Kind.PAIRS, Kind.FOLDERS)


@dataclass(frozen=True)
class Option:
    """One option; `name` as Python has it.

    `help` says what it decides, `choices` has its words and the meaning of each.  `member`: the
    field of Request, if its name differs.  `metavar` is the placeholder of a value in help texts.
    `is_required`: the step needs a value.  `decides_values`: it changes the values that a model
    computes, not only how they are computed.
    """

    name: str
    kind: Kind
    help: str
    default: Any = None
    choices: Mapping[str, str] = field(default_factory=dict)
    least: float = 0
    most: float | None = None
    metavar: str = ""
    member: str = ""
    is_required: bool = False
    decides_values: bool = False
    unit: str = "bytes"
    """The unit of a number."""
    group: str = ""
    """The heading of the help that it is below."""

    @property
    def dashed(self) -> str:
        """The name on a command line, without the dashes before it."""
        return self.name.replace("_", "-")

    @property
    def request_field(self) -> str:
        """The field of Request."""
        return self.member or self.name

    def meaning(self, quote: str = "") -> str:
        """Its meaning and its default; each of its words, in quotes, has a line of its own."""
        if not self.choices:
            has_default = self.kind in (Kind.NUMBER, Kind.REAL) and self.default is not None
            return f"{self.help} (default: {self.default})" if has_default else self.help
        words = [
            f"{quote}{word}{quote}{' (default)' if word == self.default else ''}: {meaning}"
            for word, meaning in self.choices.items()
        ]
        return "\n".join([f"{self.help}:", *words])

    def parse(self, value: object, where: str = "") -> Any:
        """The value, for Request, that a text or a value of Python means; raises UsageError.

        `where`: what an error calls the place, if not by the option's name.
        """
        where = where or self.name
        words = [value] if isinstance(value, str) or not isinstance(value, Iterable) else value
        if self.kind is Kind.FOLDERS:
            return tuple(_path(str(word), where, "a folder") for word in words)
        if self.kind is Kind.PAIRS:
            return tuple(self._pair(str(word), where) for word in words)
        parsers: Mapping[Kind, Callable[[str, str], Any]] = {
            Kind.WORD: self._word,
            Kind.NUMBER: self._number,
            Kind.REAL: self._real,
            Kind.ENERGY: _energy,
            Kind.SWITCH: _switch,
            Kind.FILE: partial(_path, expected="a file"),
            Kind.TEXT: lambda text, _: text,
            Kind.AMOUNT: self._amount,
        }
        return parsers[self.kind](str(value), where)

    def read(self, text: str, where: str = "") -> Any:
        """The same for a text of a settings file, as `parse` takes it again: lists stay words."""
        value = words_of(text) if self.kind.is_list else text
        found = self.parse(value, where)
        return value if self.kind.is_list else found

    def _word(self, word: str, where: str) -> str:
        if word not in self.choices:
            what = f"unknown '{word}', expected one of {', '.join(self.choices)}"
            raise UsageError.at(where, what, hint=did_you_mean(word, self.choices))
        return word

    def _number(self, word: str, where: str) -> int:
        number = _bytes_of(word) if self.unit == "bytes" else _count_of(word)
        most = math.inf if self.most is None else self.most
        if number is None or not self.least <= number <= most:
            limits = "a number of" if self.most is None else f"{self.least} to {self.most}"
            such = " (10k is 10,240)" if self.unit == "bytes" and self.most is None else ""
            raise UsageError.at(where, f"found '{word}', expected {limits} {self.unit}{such}")
        return number

    def _amount(self, word: str, where: str) -> int | str:
        if word in self.choices:
            return word
        if _bytes_of(word) is None:
            such = f"a number of {self.unit} (10k is 10,240)"
            what = f"found '{word}', expected {such} or one of {', '.join(self.choices)}"
            raise UsageError.at(where, what, hint=did_you_mean(word, self.choices))
        return self._number(word, where)

    def _real(self, word: str, where: str) -> float:
        limits = "a number" if self.least < 0 else f"a number of {self.least:g} or more"
        if self.most is not None:
            limits = f"a number from {self.least:g} to {self.most:g}"
        try:
            value = float(word)
        except ValueError:
            value = math.nan
        is_within = value >= self.least and (self.most is None or value <= self.most)
        if not math.isfinite(value) or not is_within:
            raise UsageError.at(where, f"found '{word}', expected {limits}")
        return value

    def _pair(self, word: str, where: str) -> tuple[str, str]:
        """A tensor's name may hold `=` itself."""
        left, equals, right = word.rpartition("=")
        if not equals or not left or not right:
            raise UsageError.at(where, f"found '{word}', expected {self.metavar}")
        return left, right


def _count_of(word: str) -> int | None:
    return int(word) if re.fullmatch(f"[0-9]{{1,{MOST_DIGITS}}}", word) else None


def _bytes_of(word: str) -> int | None:
    """A number of bytes; 10k, 10K, 10kB and 10 KiB are 10,240, as in linker scripts."""
    found = re.fullmatch(f"([0-9]{{1,{MOST_DIGITS}}}) ?(?:([km])(?:i?b)?)?", word.lower())
    return int(found[1]) * _MULTIPLES[found[2]] if found else None


_MULTIPLES = {None: 1, "k": 1024, "m": 1024 * 1024}


def _energy(word: str, where: str) -> float:
    """In microjoules, which is the unit of a number without one."""
    found = ENERGY.fullmatch(word.strip())
    if not found:
        what = (
            f"found '{word}', expected an energy such as 10 uJ, 2.5 mJ or a number of microjoules"
        )
        raise UsageError.at(where, what)
    return float(found[1]) * _MICROJOULES[found[2]]


ENERGY = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,12})?) ?(?:([nuµμm]?)J)?")
_MICROJOULES = {None: 1.0, "n": 1e-3, "u": 1.0, "µ": 1.0, "μ": 1.0, "m": 1e3, "": 1e6}
"""Of a unit by its prefix; of a number without a unit."""


def words_of(text: str) -> tuple[str, ...]:
    """The words of a list: one a line, or separated by commas and blanks."""
    words = text.split("\n" if "\n" in text else ", ")
    return tuple(word.strip() for word in words if word.strip())


def _switch(word: str, where: str) -> bool:
    if word.lower() not in _SWITCH_WORDS:
        raise UsageError.at(where, f"found '{word}', expected yes or no")
    return _SWITCH_WORDS[word.lower()]


def _path(word: str, where: str, expected: str) -> Path:
    if not word:
        raise UsageError.at(where, f"found nothing, expected {expected}")
    return Path(word)


def parsed_by(table: Mapping[str, Option], values: Mapping[str, object]) -> dict[str, Any]:
    """The parsed values of the given options, by name; None for an option that is not given."""
    return {name: table[name].parse(value) for name, value in values.items() if value is not None}


def checked_by(
    table: Mapping[str, Option], values: Mapping[str, object], where: str
) -> dict[str, Any]:
    """The same for a step that is written as keys with values; raises UsageError for a key that is
    no option, and where one is missing."""
    for name in values:
        if name not in table:
            what = f"unknown '{name}', expected one of {', '.join(table)}"
            raise UsageError.at(where, what, hint=did_you_mean(name, table))
    found = {
        name: table[name].parse(value, f"{where} {name}")
        for name, value in values.items()
        if value is not None
    }
    for name, option in table.items():
        if option.is_required and name not in found:
            raise UsageError.at(where, f"lacks '{name}': {option.help}")
    return found
