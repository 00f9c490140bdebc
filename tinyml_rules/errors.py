"""The errors that reach a person, one class by whose fault it is.

Each carries where it happened, what is wrong and at most one hint, and knows the exit
status of the command line.  An `assert` is for our own mistakes and never reaches here.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Shortage:
    """A memory that is too small: what is needed of it, or `is_least` of it at the least."""

    memory: str
    needed_bytes: int
    available_bytes: int
    is_least: bool = False


@dataclass(frozen=True)
class Way:
    """What a model that does not fit would take with other `settings`, written as the front end
    writes them, or without any on another part.

    `needed_bytes` of flash for constants and of RAM for activations, without code and stack, and
    the `available_bytes` of both by the same names; `lacking`: what is still too small.
    """

    target: str
    settings: tuple[str, ...]
    needed_bytes: Mapping[str, int]
    external_bytes: int
    """Constants in a weights file."""
    available_bytes: Mapping[str, int]
    lacking: tuple[str, ...] = ()


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: `where: error: what`, then at most one hint."""

    where: str
    what: str
    hint: str = ""
    shortage: Shortage | None = None
    """The same in figures, where it is that something does not fit."""
    severity: ClassVar[str] = "error"

    def __str__(self) -> str:
        text = f"{self.where}: {self.severity}: {self.what}"
        return f"{text}\n  hint: {self.hint}" if self.hint else text


class Caution(Problem):
    """What is done as asked, but is hardly what was meant; nothing is raised for it."""

    severity = "warning"


class Note(Problem):
    """What was asked for and changes nothing."""

    severity = "note"


class TinymlError(Exception):
    """A mistake outside this program; `str()` is the whole message, one problem after another."""

    exit_status = 1

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        assert self.problems, "an error needs at least one problem"
        super().__init__("\n".join(str(problem) for problem in self.problems))

    @classmethod
    def at(cls, where: str, what: str, *, hint: str = "") -> TinymlError:
        """The error with a single problem."""
        return cls([Problem(where, what, hint)])


class ModelError(TinymlError):
    """The model file is broken or contradicts itself."""


class UnsupportedError(TinymlError):
    """The model is sound, but asks for something that this compiler does not do."""


class DoesNotFitError(TinymlError):
    """The firmware needs more flash or RAM than the target has, or than a budget allows; `ways`
    would take less, or have room."""

    def __init__(self, problems: Iterable[Problem], *, ways: Iterable[Way] = ()) -> None:
        super().__init__(problems)
        self.ways = tuple(ways)


class OverBudgetError(TinymlError):
    """More is taken than a budget of the user's allows, which no smaller part is to blame for."""


class TargetError(TinymlError):
    """A target.toml is wrong, or the target cannot do what is asked of it."""


class UsageError(TinymlError):
    """The command line, a build variable or an input file given to a command is wrong, or a file
    cannot be read."""

    exit_status = 2


class WrongOutputError(TinymlError):
    """The model ran, and gave something else than what was expected of it."""


class ToolError(TinymlError):
    """A tool is missing, failed, or ended in an unexpected way."""

    exit_status = 3


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint that names the closest of `known`, or nothing."""
    close = difflib.get_close_matches(word, list(known), n=1)
    return f"did you mean '{close[0]}'?" if close else ""
