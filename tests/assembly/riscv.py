"""What RISC-V's instructions do."""

from __future__ import annotations

import re

from tests.assembly.effect import Effect, Registers, Rules, by_rules

_registers = Registers(re.compile(r"%\w+|\b(?:[ats]\d+|x\d+|ra|sp)\b"))


_RULES: Rules = (
    ("b(eq|ne|ge|lt|le|gt)[uz]?|j", _registers.only_read),
    ("s[bhw]", _registers.stored),
    ("l[bhw]u?", _registers.loaded),
    ("add|addi|li|mul|mulh|mv|slli?|srai?|srli?|sub|min|max|and|andi|or|neg", _registers.computed),
)


def effect(mnemonic: str, words: list[str]) -> Effect:
    """Of one instruction."""
    return by_rules(_RULES, mnemonic, words)
