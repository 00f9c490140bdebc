"""The effect of an instruction."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Effect:
    """Registers written and read; `stack_bytes`: how far the stack pointer moves down."""

    writes: frozenset[str] = NOTHING
    reads: frozenset[str] = NOTHING
    text: str = ""
    sets_flags: bool = False
    loads: bool = False
    stores: bool = False
    stack_bytes: int = 0
    has_label: bool = False


@dataclass(frozen=True)
class Registers:
    """What most instructions do with the registers in their operands: `pattern` is one, and `names`
    has the other names of some."""

    pattern: re.Pattern[str]
    names: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, *texts: str) -> frozenset[str]:
        """Those in texts."""
        found = (each for text in texts for each in self.pattern.findall(text))
        return frozenset(self.names.get(each, each) for each in found)

    def only_read(self, _: str, words: list[str]) -> Effect:
        """All are read."""
        return Effect(reads=self(*words))

    def computed(self, _: str, words: list[str]) -> Effect:
        """The first is made of the others."""
        return Effect(self(words[0]), self(*words[1:]))

    def loaded(self, _: str, words: list[str]) -> Effect:
        """The same, from memory."""
        return Effect(self(words[0]), self(*words[1:]), loads=True)

    def stored(self, _: str, words: list[str]) -> Effect:
        """All are read, and memory is written."""
        return Effect(reads=self(*words), stores=True)


Rules = Sequence[tuple[str, Callable[[str, list[str]], Effect]]]
"""The effect of a mnemonic, which is a regular expression, with its operands."""


def by_rules(rules: Rules, mnemonic: str, words: list[str]) -> Effect:
    """The first rule decides; no instruction passes for one that does nothing."""
    for pattern, rule in rules:
        if re.fullmatch(pattern, mnemonic):
            return rule(mnemonic, words)
    raise AssertionError(f"no rule for {mnemonic} {words}")


def split(text: str) -> list[str]:
    """Operands, at the commas outside of brackets."""
    return [each.strip() for each in re.split(r",(?![^\[{(]*[\]})])", text) if each.strip()]
