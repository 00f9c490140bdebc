"""What a compilation is asked to do, checked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NoReturn

from tinyml_rules.errors import UsageError, did_you_mean
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.target.target import Target

_C_KEYWORDS = frozenset(
    (
        *("auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else"),
        *("enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "register"),
        *("restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch"),
        *("typedef", "union", "unsigned", "void", "volatile", "while"),
    )
)


DEFAULT_PAGE_BYTES = 64
MAX_PAGE_BYTES = 32767
"""What an `int` counts on a 16-bit machine."""


class Weights(StrEnum):
    """Where the constants of layers with weights lie."""

    FLASH = "flash"
    EXTERNAL = "external"


@dataclass(frozen=True, eq=False)
class Request:
    """Compile the bytes of a model file for a target; every C symbol starts with `name`.

    `schedule`: run steps row by row together where that saves RAM, or every layer by itself.
    `push_rows`: the input comes a row at a time and never lies in RAM as a whole.
    `weights`: in flash, or in a file of its own that the firmware reads `page_bytes` at a time.
    `checked`: the generated code overwrites every byte of the arena that nothing may read again, so
    that a mistake of the memory plan gives wrong outputs; slow, for tests.
    """

    model: bytes
    name: str
    target: Target
    schedule: Mode = Mode.AUTO
    push_rows: bool = False
    ram_bytes: int | None = None
    """A limit for all that the model brings into the main RAM: the least streaming that keeps to
    it, instead of the least RAM."""
    arena: ArenaMode = ArenaMode.STATIC
    places: tuple[tuple[str, str], ...] = ()
    """(tensor, region): tensors that are to lie in a further memory region of the target."""
    weights: Weights = Weights.FLASH
    page_bytes: int = DEFAULT_PAGE_BYTES
    checked: bool = False
    operators: Operators = field(default_factory=builtin_operators)

    def __post_init__(self) -> None:
        """Raises UsageError for a name that C cannot use, and a page of no bytes or too many."""
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,62}", self.name) or self.name in _C_KEYWORDS:
            raise UsageError.at(
                repr(self.name),
                "not a name for C symbols, expected a letter, then letters, digits and underscores",
            )
        if not 1 <= self.page_bytes <= MAX_PAGE_BYTES:
            _refuse_page(str(self.page_bytes))

    @property
    def features(self) -> frozenset[str]:
        """What the target can do, and what the kernels have to."""
        wanted = {"external_weights"} if self.weights is Weights.EXTERNAL else set()
        return self.target.features | wanted


def parse_mode(word: str) -> Mode:
    """The schedule that a word asks for; UsageError for an unknown one."""
    modes = [mode.value for mode in Mode]
    if word not in modes:
        raise UsageError.at("schedule", f"unknown '{word}', expected one of {', '.join(modes)}")
    return Mode(word)


def parse_arena(word: str) -> ArenaMode:
    """Where the arena shall live; UsageError for an unknown word."""
    modes = [mode.value for mode in ArenaMode]
    if word not in modes:
        what = f"unknown '{word}', expected one of {', '.join(modes)}"
        raise UsageError.at("arena", what, hint=did_you_mean(word, modes))
    return ArenaMode(word)


def parse_places(words: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """`TENSOR=REGION` each; a tensor's name may hold `=` itself.  UsageError for anything else."""
    places = []
    for word in words:
        tensor, equals, region = word.rpartition("=")
        if not equals or not tensor or not region:
            raise UsageError.at("place", f"found '{word}', expected TENSOR=REGION")
        places.append((tensor, region))
    return tuple(places)


def parse_weights(word: str) -> Weights:
    """Where a word wants the weights; UsageError for an unknown one."""
    places = [place.value for place in Weights]
    if word not in places:
        raise UsageError.at("weights", f"unknown '{word}', expected one of {', '.join(places)}")
    return Weights(word)


def parse_page(word: str) -> int:
    """The page size that a word gives; UsageError for what is none."""
    if not re.fullmatch(r"[0-9]{1,9}", word):
        _refuse_page(word)
    return int(word)


def _refuse_page(word: str) -> NoReturn:
    raise UsageError.at("page", f"'{word}' is no page size, expected 1 to {MAX_PAGE_BYTES} bytes")
