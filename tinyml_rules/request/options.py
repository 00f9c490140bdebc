"""The options of a compilation, a row each, from which every way in takes them.

A new option is a row here and a field of `Request`.  Little is imported, because SCons reads this
whenever it starts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, NoReturn

from tinyml_rules.errors import UsageError, did_you_mean
from tinyml_rules.system.sources import operator_files

_SWITCH_WORDS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


class Kind(StrEnum):
    """What the value of an option is."""

    WORD = "word"
    NUMBER = "number"
    SWITCH = "switch"
    PAIRS = "pairs"
    FOLDERS = "folders"
    FILE = "file"

    @property
    def is_list(self) -> bool:
        """Whether there may be several values."""
        return self in (Kind.PAIRS, Kind.FOLDERS)

    @property
    def is_path(self) -> bool:
        """Whether it names folders or a file, which a model then depends on."""
        return self in (Kind.FOLDERS, Kind.FILE)


@dataclass(frozen=True)
class Option:
    """One option; `name` as Python has it.

    `help` is the beginning of a sentence, which the words of `choices`, with what each means, go
    on with.  `member`: the field of Request, where it is called otherwise.  `metavar` stands for a
    value.
    """

    name: str
    kind: Kind
    help: str
    default: Any = None
    choices: Mapping[str, str] = field(default_factory=dict)
    least: int = 0
    most: int | None = None
    metavar: str = ""
    member: str = ""

    @property
    def dashed(self) -> str:
        """The name on a command line, without the dashes before it."""
        return self.name.replace("_", "-")

    @property
    def request_field(self) -> str:
        """The field of Request."""
        return self.member or self.name

    def meaning(self, quote: str = "") -> str:
        """What it means, its words in quotes, and its default."""
        if not self.choices:
            has_default = self.kind is Kind.NUMBER and self.default is not None
            return f"{self.help} (default: {self.default})" if has_default else self.help
        words = [
            f"{quote}{word}{quote}{' (default)' if word == self.default else ''}: {meaning}"
            for word, meaning in self.choices.items()
        ]
        return "; ".join([self.help, *words])

    def parse(self, value: object, where: str = "") -> Any:
        """The value, for Request, that a text or a value of Python means; raises UsageError.

        `where`: what an error calls the place, if not by the option's name.
        """
        where = where or self.name
        if self.kind is Kind.WORD:
            return self._word(str(value), where)
        if self.kind is Kind.NUMBER:
            return self._number(str(value), where)
        if self.kind is Kind.SWITCH:
            return _switch(str(value), where)
        if self.kind is Kind.FILE:
            return _path(str(value), where, "a file")
        words = [value] if isinstance(value, str) or not isinstance(value, Iterable) else value
        if self.kind is Kind.FOLDERS:
            return tuple(_path(str(word), where, "a folder") for word in words)
        return tuple(self._pair(str(word), where) for word in words)

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
        if not re.fullmatch(r"[0-9]{1,12}", word) or int(word) < self.least:
            self._refuse_number(word, where)
        if self.most is not None and int(word) > self.most:
            self._refuse_number(word, where)
        return int(word)

    def _refuse_number(self, word: str, where: str) -> NoReturn:
        limits = "a number of" if self.most is None else f"{self.least} to {self.most}"
        raise UsageError.at(where, f"found '{word}', expected {limits} bytes")

    def _pair(self, word: str, where: str) -> tuple[str, str]:
        """A tensor's name may hold `=` itself."""
        left, equals, right = word.rpartition("=")
        if not equals or not left or not right:
            raise UsageError.at(where, f"found '{word}', expected {self.metavar}")
        return left, right


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


MAX_PAGE_BYTES = 32767
"""What an `int` counts on a 16-bit machine."""

_ROWS = (
    Option(
        "schedule",
        Kind.WORD,
        "which layers run row by row together",
        default="auto",
        choices={
            "auto": "where that saves RAM",
            "layer": "none",
            "stream": "wherever it is possible",
        },
    ),
    Option(
        "ram",
        Kind.NUMBER,
        "a limit for the RAM of the model in bytes (its arena, and a page of external weights): "
        "the least streaming that keeps to it, not the least RAM",
        metavar="BYTES",
        member="ram_bytes",
    ),
    Option(
        "push_rows",
        Kind.SWITCH,
        "take the input a row at a time; it never lies in RAM as a whole",
        default=False,
    ),
    Option(
        "arena",
        Kind.WORD,
        "where the arena lives",
        default="static",
        choices={
            "static": "an array of the model's own",
            "caller": "memory that every function is given",
            "shared": "one array for all models of a program",
        },
    ),
    Option(
        "place",
        Kind.PAIRS,
        "tensors (number or name) that lie in a further memory region of the target",
        default=(),
        metavar="TENSOR=REGION",
        member="places",
    ),
    Option(
        "optimize",
        Kind.WORD,
        "what the code is to be",
        default="balanced",
        choices={
            "size": "small: plain kernels that layers share, and the C compiler told so; slower",
            "balanced": "fast, where that takes little flash",
            "speed": "as fast as possible; takes more flash, and more stack",
            "layers": "balanced, but no table of 256 bytes stands for layers between single 8-bit "
            "values, for whoever wants to measure them",
        },
    ),
    Option(
        "kernel",
        Kind.PAIRS,
        "nodes, by the number that a profile shows, with the kernel that each is to have; `tune` "
        "finds those that are fastest",
        default=(),
        metavar="NODE=KERNEL",
        member="kernels",
    ),
    Option(
        "weights",
        Kind.WORD,
        "where the weights lie",
        default="flash",
        choices={
            "flash": "beside the code",
            "packed": "there too, those of dense layers packed without loss where it pays",
            "external": "in NAME.weights.bin, which the firmware reads",
        },
    ),
    Option(
        "page",
        Kind.NUMBER,
        "bytes of external weights that are read at a time",
        default=64,
        least=1,
        most=MAX_PAGE_BYTES,
        metavar="BYTES",
        member="page_bytes",
    ),
    Option(
        "partition",
        Kind.SWITCH,
        "functions over whole tensors of real numbers in the header: NAME_quantize_inputs, "
        "NAME_quantized_main, NAME_dequantize_outputs, and NAME_predict, which calls the three; an "
        "error where the model is not of integers between its ends",
        default=False,
    ),
    Option(
        "checked",
        Kind.SWITCH,
        "for tests: overwrite dead bytes as the model runs, to find mistakes of the memory plan; "
        "slow",
        default=False,
    ),
    Option(
        "hooks",
        Kind.SWITCH,
        "call macros of yours before and behind each node, NAME_NODE_BEGIN and NAME_NODE_END of "
        "NAME_hooks.h",
        default=False,
    ),
    Option(
        "operators",
        Kind.FOLDERS,
        "operators of your own: a folder of one, or a folder of such folders",
        default=(),
        metavar="DIR",
    ),
    Option(
        "sensor",
        Kind.FILE,
        "a file that describes the raw values of the sensor, and what is decided by the output",
        metavar="FILE",
    ),
)
OPTIONS: Mapping[str, Option] = {option.name: option for option in _ROWS}
"""By name, in the order in which pages list them."""


def parsed(values: Mapping[str, object]) -> dict[str, Any]:
    """What the given options mean, by name; None stands for one that is not given."""
    return {name: OPTIONS[name].parse(value) for name, value in values.items() if value is not None}


def named_files(values: Mapping[str, Any]) -> tuple[str, ...]:
    """The files that the values of options name: of a folder, all; of a description, those too that
    it names itself."""
    from tinyml_rules.sensor.description import described_files  # noqa: PLC0415 - seldom needed

    folders = [values.get(each.name) or () for each in _ROWS if each.kind is Kind.FOLDERS]
    files = [values.get(each.name) for each in _ROWS if each.kind is Kind.FILE]
    in_folders = (file for each in folders for file in operator_files(each))
    described = (each for file in files if file for each in described_files(Path(file)))
    return (*in_folders, *map(str, described))
