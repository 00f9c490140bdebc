"""What RISC-V's instructions do."""

from __future__ import annotations

import re

from tests.assembly.effect import Effect, Rules, by_rules

_REGISTER = re.compile(r"%\w+|\b(?:[ats]\d+|x\d+|ra|sp)\b")


def _registers(*texts: str) -> frozenset[str]:
    return frozenset(each for text in texts for each in _REGISTER.findall(text))


def _only_reads(_: str, words: list[str]) -> Effect:
    return Effect(reads=_registers(*words))


def _stores(_: str, words: list[str]) -> Effect:
    return Effect(reads=_registers(*words), stores=True)


def _loads(_: str, words: list[str]) -> Effect:
    return Effect(_registers(words[0]), _registers(*words[1:]), loads=True)


def _computes(_: str, words: list[str]) -> Effect:
    return Effect(_registers(words[0]), _registers(*words[1:]))


_RULES: Rules = (
    ("b(eq|ne|ge|lt|le|gt)[uz]?|j", _only_reads),
    ("s[bhw]", _stores),
    ("l[bhw]u?", _loads),
    ("add|addi|li|mul|mulh|mv|slli|srai|srli|sub|min|max|and|andi|or|neg", _computes),
)


def effect(mnemonic: str, words: list[str]) -> Effect:
    """Of one instruction."""
    return by_rules(_RULES, mnemonic, words)
