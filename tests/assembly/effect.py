"""The effect of an instruction."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

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
