"""The errors that reach a user, one class for each cause.

Each has a place, what is wrong and at most one hint, and the exit status of the command
line.  Bugs of this package are `assert`s, not errors of these classes.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Shortage:
    """A memory that is too small, and the bytes needed; `is_least`: that many or more."""

    memory: str
    needed_bytes: int
    available_bytes: int
    is_least: bool = False


@dataclass(frozen=True)
class Way:
    """What a model that does not fit would take with other `settings`, in the front end's spelling,
    or, without settings, on another part.

    `needed_bytes` of flash for constants and of RAM for activations, without code and stack, and
    the `available_bytes` of both by the same names; `lacking`: the memories that are still too
    small.
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
    """One problem: `where: error: what`, then at most one hint."""

    where: str
    what: str
    hint: str = ""
    shortage: Shortage | None = None
    """The same in figures, if a memory is too small."""
    severity: ClassVar[str] = "error"

    def __post_init__(self) -> None:
        """Words of a file may have characters that a terminal obeys; they are shown as escapes."""
        for name in ("where", "what", "hint"):
            text: str = getattr(self, name)
            if not text.isprintable():
                object.__setattr__(self, name, "".join(map(_shown, text)))

    def __str__(self) -> str:
        text = f"{self.where}: {self.severity}: {self.what}"
        return f"{text}\n  hint: {self.hint}" if self.hint else text


def _shown(letter: str) -> str:
    """A character as it is, or its escape; lines stay lines, as those of a compiler are."""
    return letter if letter.isprintable() or letter in "\n\t" else ascii(letter)[1:-1]


class Caution(Problem):
    """A warning: the compiler does what was asked, but it is hardly what was meant."""

    severity = "warning"


class Note(Problem):
    """A note about a setting that changes nothing."""

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
    """The model is valid, but needs something that this compiler does not support."""


class DoesNotFitError(TinymlError):
    """The firmware needs more flash or RAM than the target has, or than a budget allows; `ways`
    would take less, or have room."""

    def __init__(self, problems: Iterable[Problem], *, ways: Iterable[Way] = ()) -> None:
        super().__init__(problems)
        self.ways = tuple(ways)
        self.is_explained = bool(self.ways)
        """Whether ways were looked for."""


class OverBudgetError(TinymlError):
    """A budget of the user is exceeded, although the part has enough memory."""


class TargetError(TinymlError):
    """A target.toml is wrong, or the target cannot do what is asked of it."""


class UsageError(TinymlError):
    """The command line, a build variable or an input file given to a command is wrong, or a file
    cannot be read."""

    exit_status = 2


class WrongOutputError(TinymlError):
    """The model ran, and its outputs differ from the expected ones."""


class ToolError(TinymlError):
    """A tool is missing, failed, or ended in an unexpected way."""

    exit_status = 3


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint that names the closest of `known`, or nothing."""
    close = difflib.get_close_matches(word, list(known), n=1)
    return f"did you mean '{close[0]}'?" if close else ""
