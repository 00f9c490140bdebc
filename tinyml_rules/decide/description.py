"""The tables [output] and [output.NAME] of a description file: what is decided from which output.

Nothing of the model is known here; `heads.py` joins both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from tinyml_rules.errors import UsageError, did_you_mean

MOST_FRACTION_BITS = 30
"""Of a fixed-point number in int32, so that 1 is one of them."""
MOST_OF_A_LABEL = 255
"""Bytes of UTF-8."""


class Head(StrEnum):
    """What is made of an output."""

    ARGMAX = "argmax"
    TOP_K = "top-k"
    THRESHOLD = "threshold"
    FIXED_POINT = "fixed-point"
    MEAN_SQUARED_DIFFERENCE = "mean-squared-difference"


_ALONE = (Head.FIXED_POINT, Head.MEAN_SQUARED_DIFFERENCE)
"""Both have fraction bits."""
_KEYS = {
    "k": (Head.TOP_K,),
    "threshold": (Head.THRESHOLD, Head.MEAN_SQUARED_DIFFERENCE),
    "fraction_bits": _ALONE,
    "reference": (Head.MEAN_SQUARED_DIFFERENCE,),
    "keep_scores": (Head.ARGMAX, Head.TOP_K),
}
"""The keys that mean something for some heads only."""
KEYS = ("head", "labels", *_KEYS)


@dataclass(frozen=True)
class OutputDescription:
    """What is decided from one output.

    `where`: how an error names the table.  `output`: the tensor's name, empty for the only one.
    `thresholds`: real numbers, one for all values or one each.  `fraction_bits`: None where the
    compiler chooses.  `reference`: the input that the output is compared with, empty for the only
    one.  `keeps_scores`: the caller reads the output as the file has it too.
    """

    where: str
    output: str
    heads: tuple[Head, ...]
    k: int = 0
    thresholds: tuple[float, ...] = ()
    fraction_bits: int | None = None
    labels: tuple[str, ...] = ()
    reference: str = ""
    keeps_scores: bool = False

    @property
    def needs_order_alone(self) -> bool:
        """Whether any tensor with the same order of values would do."""
        is_order = all(head in (Head.ARGMAX, Head.TOP_K) for head in self.heads)
        return is_order and not self.keeps_scores


def label_file(table: object, folder: Path) -> tuple[Path, ...]:
    """The files that the table names, which what is compiled depends on."""
    tables = table.values() if isinstance(table, dict) else ()
    every = [table, *tables]
    files = [each.get("labels") for each in every if isinstance(each, dict)]
    return tuple(folder / each for each in files if isinstance(each, str))


def read_outputs(table: object, *, where: str, folder: Path) -> tuple[OutputDescription, ...]:
    """What the file's `output` says; `folder`: where the names of its files begin.

    Raises UsageError for a key that is none, and for a value that means nothing."""
    if not isinstance(table, dict):
        what = f"'output' is {table!r}, expected a table [output], or tables [output.NAME]"
        raise UsageError.at(where, what)
    if table and all(isinstance(each, dict) for each in table.values()):
        return tuple(
            _Table(each, f"{where} [output.{name}]", folder).read(name)
            for name, each in table.items()
        )
    return (_Table(table, f"{where} [output]", folder).read(""),)


@dataclass(frozen=True)
class _Table:
    values: Mapping[str, Any]
    where: str
    folder: Path

    def read(self, output: str) -> OutputDescription:
        heads = self._heads()
        self._check_keys(heads)
        for key, uses in _KEYS.items():
            is_needed = uses[0] is not Head.MEAN_SQUARED_DIFFERENCE and key in ("k", "threshold")
            if is_needed and uses[0] in heads and key not in self.values:
                raise self._error(f"lacks '{key}', which head = \"{uses[0]}\" needs")
        return OutputDescription(
            where=self.where,
            output=output,
            heads=heads,
            k=self._number("k", 0, least=1, most=2**15 - 1),
            thresholds=self._thresholds(),
            fraction_bits=self._number("fraction_bits", None, least=0, most=MOST_FRACTION_BITS),
            labels=self._labels(),
            reference=self._one("reference", "", str, "the name of an input"),
            keeps_scores=self._one("keep_scores", False, bool, "true or false"),
        )

    def _error(self, what: str, *, hint: str = "") -> UsageError:
        error = UsageError.at(self.where, what, hint=hint)
        assert isinstance(error, UsageError)
        return error

    def _heads(self) -> tuple[Head, ...]:
        """One word, or a list of different ones."""
        found = self.values.get("head")
        words = found if isinstance(found, list) else [found]
        known = [each.value for each in Head]
        for word in words or [None]:
            if word not in known:
                shown = "none" if found is None else repr(word)
                hint = did_you_mean(word, known) if isinstance(word, str) else ""
                what = f"'head' is {shown}, expected one of {', '.join(known)}"
                raise self._error(what, hint=hint)
        heads = tuple(dict.fromkeys(Head(word) for word in words))
        if len(heads) > 1 and Head.MEAN_SQUARED_DIFFERENCE in heads:
            what = f"head \"{Head.MEAN_SQUARED_DIFFERENCE}\" with others, expected it alone"
            raise self._error(what)
        return heads

    def _check_keys(self, heads: tuple[Head, ...]) -> None:
        for key in self.values:
            if key not in KEYS:
                what = f"unknown key '{key}', expected one of {', '.join(KEYS)}"
                raise self._error(what, hint=did_you_mean(key, KEYS))
            uses = _KEYS.get(key, heads)
            if not set(uses) & set(heads):
                names = " or ".join(f'"{use}"' for use in uses)
                raise self._error(f"'{key}' means nothing here, expected head = {names} with it")

    def _one(self, key: str, default: Any, kind: type, expected: str) -> Any:
        found = self.values.get(key, default)
        if type(found) is not kind:  # not isinstance: true is no number here
            raise self._error(f"'{key}' is {found!r}, expected {expected}")
        return found

    def _number(self, key: str, default: int | None, *, least: int, most: int) -> Any:
        if key not in self.values:
            return default
        found = self.values[key]
        if type(found) is not int or not least <= found <= most:
            raise self._error(f"'{key}' is {found!r}, expected {least} to {most}")
        return found

    def _thresholds(self) -> tuple[float, ...]:
        found = self.values.get("threshold", [])
        many = found if isinstance(found, list) else [found]
        for each in many:
            if type(each) not in (int, float) or not math.isfinite(each):
                what = f"'threshold' is {each!r}, expected a real number, or one for each value"
                raise self._error(what)
        if "threshold" in self.values and not many:
            raise self._error("'threshold' is [], expected a real number, or one for each value")
        return tuple(many)

    def _labels(self) -> tuple[str, ...]:
        found = self.values.get("labels", [])
        labels = self._lines(found) if isinstance(found, str) else found
        if not isinstance(labels, list) or not all(type(each) is str for each in labels):
            what = f"'labels' is {found!r}, expected a list of strings, or a file with a line each"
            raise self._error(what)
        if "labels" in self.values and not labels:
            raise self._error("'labels' has none, expected one for each value")
        for label in labels:
            _check_label(label, self._error)
        twice = [label for number, label in enumerate(labels) if label in labels[:number]]
        if twice:
            raise self._error(f"label {twice[0]!r} is there twice, expected different ones")
        return tuple(labels)

    def _lines(self, name: str) -> list[str]:
        """A file's lines, without an empty one at the end."""
        try:
            text = (self.folder / name).read_text(encoding="utf-8")
        except OSError as error:
            what = f"labels '{name}' cannot be read ({error.strerror})"
            raise self._error(what) from error
        except ValueError as error:  # no UTF-8, and a name with a zero byte
            raise self._error(f"labels '{name}' is no text in UTF-8") from error
        return [line.strip() for line in text.rstrip().splitlines()]


def _check_label(label: str, refusal: Callable[[str], UsageError]) -> None:
    """Raise what `refusal` makes of the mistake."""
    if not label or not label.isprintable():
        raise refusal(f"label {label!r} is empty or not printable, expected text")
    if len(label.encode("utf-8", "replace")) > MOST_OF_A_LABEL:
        raise refusal(f"label {label[:20]!r}.. is longer than {MOST_OF_A_LABEL} bytes")
