"""Reads the inline assembly of C: the text, the operands and the clobbers of each statement."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

ASM = re.compile(r"\b__asm__\b\s*(?:__volatile__|volatile)?\s*\(")
_REGISTER = re.compile(r"\bregister\b[^;=]*?(\w+)\s+__asm__\(\"(\w+)\"\)")
_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
_OPERAND = re.compile(r'(?:\[(\w+)\]\s*)?"([^"]*)"\s*\((.*)\)\s*$', re.DOTALL)
_BRACKET = re.compile(rf"{_LITERAL.pattern}|[()]")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_LINE = re.compile(r"^[ \t]*#.*$", re.MULTILINE)
_FOR_ARM = re.compile(
    r"^#ifdef __ARM_FEATURE_SAT$.*?^#else$(.*?)^#endif$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Operand:
    """`name` as the text has it, a number without a name; `register`: that of the C variable, if it
    is declared to have one."""

    name: str
    constraint: str
    value: str
    register: str = ""

    @property
    def is_read(self) -> bool:
        """It has a value before."""
        return "=" not in self.constraint

    @property
    def is_result(self) -> bool:
        """It has a value only after; a register of its own may be for numbers in between."""
        return "=" in self.constraint and "&" not in self.constraint

    @property
    def is_memory(self) -> bool:
        """It is what is at an address."""
        return "m" in self.constraint.strip("=+&%")


@dataclass(frozen=True)
class Statement:
    """Inline assembly: its text, and what it says that it does."""

    text: str
    outputs: tuple[Operand, ...]
    inputs: tuple[Operand, ...]
    clobbers: tuple[str, ...]

    @property
    def operands(self) -> tuple[Operand, ...]:
        """In the order of their numbers."""
        return (*self.outputs, *self.inputs)


def statements(c_text: str, architecture: str, seen: set[str]) -> Iterator[Statement]:
    """Those of a C file that have an instruction, but for those `seen`, to which they are added."""
    own = c_text if architecture == "arm" else _FOR_ARM.sub(r"\1", c_text)
    text = _LINE.sub("", COMMENT.sub("", own))
    registers: dict[str, str] = {}
    for match in re.finditer(f"{ASM.pattern}|{_REGISTER.pattern}", text):
        if match[1]:
            registers[match[1]] = match[2]
            continue
        found = text[match.end() : end_of(text, match.end())]
        if found not in seen:
            seen.add(found)
            statement = statement_of(found, registers)
            if statement is not None:
                yield statement


def statement_of(text: str, registers: Mapping[str, str]) -> Statement | None:
    parts = [each.strip() for each in _split(text, ":")]
    words = "".join(_LITERAL.findall(parts[0])).encode().decode("unicode_escape")
    if not words.strip() or words.lstrip().startswith(".section"):  # data
        return None
    parts += [""] * (4 - len(parts))
    operands: list[Operand] = []
    counts = []
    for part in parts[1:3]:
        for each in _split(part, ",") if part else []:
            match = _OPERAND.match(each.strip())
            assert match, each
            name = match[1] or str(len(operands))
            value = match[3].strip()
            operands.append(Operand(name, match[2], value, registers.get(value, "")))
        counts.append(len(operands))
    outputs, inputs = operands[: counts[0]], operands[counts[0] :]
    return Statement(words, tuple(outputs), tuple(inputs), tuple(_LITERAL.findall(parts[3])))


def end_of(text: str, start: int) -> int:
    """Where the parenthesis closes."""
    depth = 1
    for match in _BRACKET.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if depth == 0:
            return match.start()
    raise AssertionError(text[start : start + 80])


def outside(text: str, start: int) -> Iterator[tuple[int, str]]:
    """The characters that are in no literal, with their places."""
    place = start
    while place < len(text):
        literal = _LITERAL.match(text, place)
        if literal:
            place = literal.end()
            continue
        yield place, text[place]
        place += 1


def _split(text: str, mark: str) -> Sequence[str]:
    """At the marks outside of literals and brackets."""
    found, depth, last = [], 0, 0
    for place, each in outside(text, 0):
        depth += (each in "([") - (each in ")]")
        if each == mark and depth == 0:
            found.append(text[last:place])
            last = place + 1
    return [*found, text[last:]]
