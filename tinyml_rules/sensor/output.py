"""`[output]` of a description: the decisions from a model's output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import NoReturn

from tinyml_rules.errors import UsageError, did_you_mean
from tinyml_rules.sensor.event import EVENT_KEYS, EventKeys, read_event
from tinyml_rules.sensor.key import TEXT, Free, Key, Reals, Shape, Truth, Whole, names_of
from tinyml_rules.sensor.table import Table, shown

MOST_FRACTION_BITS = 30
"""Most fraction bits of a fixed-point number in int32 that can still be 1."""
MOST_OF_A_LABEL = 255
"""Bytes of UTF-8."""
_MOST_CLASSES = 2**15 - 1
"""A class is an int16_t."""


class Head(StrEnum):
    """What is made of an output."""

    ARGMAX = "argmax"
    TOP_K = "top-k"
    THRESHOLD = "threshold"
    FIXED_POINT = "fixed-point"
    EVENT = "event"
    MEAN_SQUARED_DIFFERENCE = "mean-squared-difference"

    @property
    def needs_order_alone(self) -> bool:
        """Whether any values of the same order would do."""
        return self in (Head.ARGMAX, Head.TOP_K)


HEADS_OF: Mapping[str, tuple[Head, ...]] = {
    "k": (Head.TOP_K,),
    "threshold": (Head.THRESHOLD, Head.EVENT, Head.MEAN_SQUARED_DIFFERENCE),
    "fraction_bits": (Head.FIXED_POINT, Head.MEAN_SQUARED_DIFFERENCE),
    "reference": (Head.MEAN_SQUARED_DIFFERENCE,),
    "keep_scores": (Head.ARGMAX, Head.TOP_K),
    **dict.fromkeys(names_of(EVENT_KEYS), (Head.EVENT,)),
}
"""By key, the heads that use it."""
NEEDED: Mapping[Head, str] = {
    Head.TOP_K: "k",
    Head.THRESHOLD: "threshold",
    Head.EVENT: "threshold",
}
"""By head, the key that has to be there."""
_LABEL: Shape = {**TEXT, "maxLength": MOST_OF_A_LABEL}
_ONE_HEAD: Shape = {"type": "string", "enum": [head.value for head in Head]}
_SEVERAL_HEADS: Shape = {
    "type": "array",
    "items": {"enum": [each.value for each in Head if each is not Head.MEAN_SQUARED_DIFFERENCE]},
    "minItems": 1,
    "uniqueItems": True,
}
_ALONE: Shape = {
    "type": "array",
    "items": {"const": Head.MEAN_SQUARED_DIFFERENCE.value},
    "minItems": 1,
    "maxItems": 1,
}
_HEAD = Free(
    "head",
    "what is made of the output: one word, or a list of different ones",
    "argmax",
    form={"anyOf": [_ONE_HEAD, _SEVERAL_HEADS, _ALONE]},
)
_LABELS = Free(
    "labels",
    "the name of each value, or a file with one on each line",
    ["silence", "yes", "no"],
    form={
        "anyOf": [{"type": "array", "items": _LABEL, "minItems": 1, "uniqueItems": True}, TEXT],
    },
)
_K = Whole("k", "classes of a top-k", 3, least=1, most=_MOST_CLASSES)
_THRESHOLD = Reals("threshold", "one real number for all values, or one for each", 0.5)
_FRACTION_BITS = Whole(
    "fraction_bits",
    "bits after the point of a number; without it the compiler chooses",
    16,
    most=MOST_FRACTION_BITS,
)
_REFERENCE = Free(
    "reference", "the input that the output is compared with, where there are several", form=TEXT
)
_KEEP_SCORES = Truth("keep_scores", "the output is read as the model has it, too")
OUTPUT_KEYS: tuple[Key, ...] = (
    *(_HEAD, _LABELS, _K, _THRESHOLD, _FRACTION_BITS, _REFERENCE, _KEEP_SCORES),
    *EVENT_KEYS,
)
KEYS = names_of(OUTPUT_KEYS)
"""Every key of the table."""


@dataclass(frozen=True)
class Output:
    """The decisions of one output; `where` is the table's name in errors."""

    where: str
    heads: tuple[Head, ...]
    k: int
    """Classes of a top-k."""
    thresholds: tuple[Fraction, ...]
    """One for all values, or one each."""
    fraction_bits: int | None
    """None: the compiler chooses."""
    labels: tuple[str, ...]
    reference: str
    """The input that the output is compared with; empty for the only one."""
    keeps_scores: bool
    """The caller reads the output, as the file has it, too."""
    event: EventKeys | None = None
    """Of an event, what decides over time."""

    @property
    def needs_order_alone(self) -> bool:
        """Whether any values of the same order would do."""
        return not self.keeps_scores and all(head.needs_order_alone for head in self.heads)


def read_output(table: Table) -> Output:
    """The contents of an `[output]` table; raises UsageError."""
    table.check_known(KEYS)
    heads = _heads(table)
    _check_uses(table, heads)
    labels = _labels(table)
    return Output(
        where=table.where,
        heads=heads,
        k=_K.of(table, default=1),
        thresholds=_THRESHOLD.given(table),
        fraction_bits=_FRACTION_BITS.given(table),
        labels=labels,
        reference=table.text("reference") if "reference" in table.values else "",
        keeps_scores=_KEEP_SCORES.of(table),
        event=read_event(table, labels) if Head.EVENT in heads else None,
    )


def label_files(table: Table) -> tuple[Path, ...]:
    """The file that the table names."""
    found = table.values.get("labels")
    return (table.folder / found,) if isinstance(found, str) and found else ()


def _heads(table: Table) -> tuple[Head, ...]:
    """One word, or a list of different ones."""
    known = [head.value for head in Head]
    found = table.values.get("head")
    if found is None:
        what = f"no 'head', which is required: one of {', '.join(known)}"
        raise UsageError.at(table.where, what)
    words = found if isinstance(found, list) else [found]
    for word in words:
        if word not in known:
            table.refuse("head", f"one of {', '.join(known)}", hint=did_you_mean(str(word), known))
    if not words or len(set(words)) < len(words):
        table.refuse("head", "a head, or a list of different ones")
    if len(words) > 1 and Head.MEAN_SQUARED_DIFFERENCE in words:
        table.refuse("head", f'"{Head.MEAN_SQUARED_DIFFERENCE}" alone')
    return tuple(map(Head, words))


def _check_uses(table: Table, heads: tuple[Head, ...]) -> None:
    """Check that some head uses every key, and that the keys that a head needs are there."""
    for key in table.values:
        uses = HEADS_OF.get(key, heads)
        if not {*uses} & {*heads}:
            names = " or ".join(f'"{use}"' for use in uses)
            raise UsageError.at(table.where, f"'{key}' is for head = {names} alone")
    for head in heads:
        key = NEEDED.get(head, "head")
        if key not in table.values:
            raise UsageError.at(table.where, f"no '{key}', which head = \"{head}\" needs")


def _labels(table: Table) -> tuple[str, ...]:
    found = table.values.get("labels", [])
    labels = _lines(table) if isinstance(found, str) else found
    if not isinstance(labels, list) or not all(isinstance(each, str) for each in labels):
        table.refuse("labels", "a list of strings, or the name of a file with one on each line")
    if "labels" in table.values and not labels:
        table.refuse("labels", "a label for each value")
    for number, label in enumerate(labels):
        if not label or not label.isprintable() or len(label.encode()) > MOST_OF_A_LABEL:
            expected = f"expected printable text of 1 to {MOST_OF_A_LABEL} bytes"
            _refuse_label(table, label, f"is not valid, {expected}")
        if label in labels[:number]:
            _refuse_label(table, label, "is there twice, expected different ones")
    return tuple(labels)


def _refuse_label(table: Table, label: str, what: str) -> NoReturn:
    raise UsageError.at(table.where, f"label {shown(label)} {what}")


def _lines(table: Table) -> list[str]:
    """A file's lines, blank ones at its end left out."""
    for file in label_files(table):
        try:
            text = file.read_text(encoding="utf-8-sig")
        except OSError as error:
            table.refuse("labels", f"a file that can be read ({error.strerror})")
        except ValueError:  # no UTF-8, or a zero byte in the name
            table.refuse("labels", "the name of a text file in UTF-8")
        return [line.strip() for line in text.rstrip().splitlines()]
    return []
