"""The keys of a description's tables, a record each: what the reader takes, and what an editor
shows of it.

`shape` of each is what a JSON schema says of the value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any, TypeVar

from tinyml_rules.sensor.table import MOST, Table

Words = TypeVar("Words", bound=StrEnum)
Shape = dict[str, Any]


@dataclass(frozen=True)
class Key:
    """`help` says what the key decides; `example` is a value as in the file."""

    name: str
    help: str
    example: Any = None

    @property
    def shape(self) -> Shape:
        """The types and limits of a value."""
        raise NotImplementedError

    def is_in(self, table: Table) -> bool:
        """Whether a table has the key."""
        return self.name in table.values


@dataclass(frozen=True)
class Whole(Key):
    """A whole number; without a `default` it is None where it is not given."""

    least: int = 0
    most: int = 2**31 - 1
    default: int | None = None

    @property
    def shape(self) -> Shape:
        """A whole number within limits."""
        return {"type": "integer", "minimum": self.least, "maximum": self.most}

    def of(self, table: Table, *, default: int = 0, most: int | None = None) -> int:
        """The number; `default` and `most`: where they depend on the other keys."""
        known = default if self.default is None else self.default
        limit = self.most if most is None else most
        return table.integer(self.name, known, least=self.least, most=limit)

    def given(self, table: Table) -> int | None:
        """The number, or None."""
        return self.of(table) if self.is_in(table) else None


@dataclass(frozen=True)
class Real(Key):
    """A real number from `least` to `most`, or above `above`; `words` name the limits."""

    default: str = ""
    least: float | None = None
    above: float | None = None
    most: float | None = None
    words: str = ""

    @property
    def shape(self) -> Shape:
        """A number within limits."""
        limits = {"minimum": self.least, "exclusiveMinimum": self.above, "maximum": self.most}
        return {**_REAL, **{key: value for key, value in limits.items() if value is not None}}

    def of(self, table: Table) -> Fraction:
        """The number, exactly; raises UsageError for one out of the limits."""
        value = table.number(self.name, Fraction(self.default or 0))
        is_low = self.least is not None and value < self.least
        is_low |= self.above is not None and value <= self.above
        if is_low or (self.most is not None and value > self.most):
            table.refuse(self.name, self.words)
        return value


@dataclass(frozen=True)
class Reals(Key):
    """A real number, or a list of one for each channel; the `words` name what is taken."""

    default: int | None = None
    not_zero: bool = False
    above_zero: bool = False
    words: str = ""

    @property
    def shape(self) -> Shape:
        """A number, or a list that is not empty."""
        return {"anyOf": [self.of_one, {"type": "array", "items": self.of_one, "minItems": 1}]}

    @property
    def of_one(self) -> Shape:
        """The shape of one number."""
        positive = {"exclusiveMinimum": 0} if self.above_zero else {}
        return {**_REAL, **positive, **({"not": {"const": 0}} if self.not_zero else {})}

    def of(self, table: Table) -> tuple[Fraction, ...]:
        """The numbers, exactly."""
        values = table.numbers(self.name, self.default or 0)
        if (self.not_zero and not all(values)) or (self.above_zero and min(values) <= 0):
            table.refuse(self.name, self.words)
        return values

    def given(self, table: Table) -> tuple[Fraction, ...]:
        """The numbers, none where the key is not given."""
        return self.of(table) if self.is_in(table) else ()


@dataclass(frozen=True)
class Truth(Key):
    """true or false."""

    default: bool = False

    @property
    def shape(self) -> Shape:
        """A truth value."""
        return {"type": "boolean"}

    def of(self, table: Table) -> bool:
        """The value."""
        return table.boolean(self.name, default=self.default)


@dataclass(frozen=True)
class Word(Key):
    """One of some words, whose `meanings` an editor shows; without a default it is required."""

    default: str = ""
    meanings: Mapping[str, str] = field(default_factory=dict)

    @property
    def shape(self) -> Shape:
        """One of the words."""
        return {"type": "string", "enum": list(self.meanings)}

    def of(self, table: Table, *, default: str = "") -> str:
        """The word; `default`: where it depends on the other keys."""
        return table.word(self.name, self.meanings, default or self.default)


@dataclass(frozen=True)
class Free(Key):
    """A value that the reader takes apart by itself; `form` is its shape."""

    form: Mapping[str, Any] = field(default_factory=dict)
    default: Any = None

    @property
    def shape(self) -> Shape:
        """The shape that the row states."""
        return dict(self.form)


def names_of(keys: Sequence[Key]) -> tuple[str, ...]:
    """The names of keys, in their order."""
    return tuple(key.name for key in keys)


_REAL: Shape = {"type": "number", "minimum": -MOST, "maximum": MOST}
TEXT: Shape = {"type": "string", "minLength": 1}
"""The shape of a text that is not empty."""
