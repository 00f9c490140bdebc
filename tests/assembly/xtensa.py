"""What Xtensa's instructions do, those of MAC16 too, whose accumulator is `acc`.

GCC has no name for the registers m0 to m3 of MAC16, which no code of its own uses, nor for the
amount of a shift (SAR), which each of its own shifts sets before.  Loops of hardware that it makes
have no assembly inside (hwloop_optimize), so that their registers do not count either.
"""

from __future__ import annotations

import re

from tests.assembly.effect import Effect, Registers, Rules, by_rules

_registers = Registers(re.compile(r"%\w+|\ba\d+\b"))
_SUM = frozenset(("acc",))


def _loads_and_moves(mnemonic: str, words: list[str]) -> Effect:
    more = Effect() if mnemonic == "ldinc" else Effect(_SUM, _SUM)
    return Effect(_registers(words[1]) | more.writes, _registers(*words) | more.reads, loads=True)


def _sums(_: str, words: list[str]) -> Effect:
    return Effect(_SUM, _registers(*words) | _SUM)


def _writes_sum(_: str, words: list[str]) -> Effect:
    assert words[1:] in ([], ["acclo"]), words
    return Effect(_SUM, _registers(words[0]))


def _reads_sum(_: str, words: list[str]) -> Effect:
    assert words[1:] in ([], ["acclo"]), words
    return Effect(_registers(words[0]), _SUM)


_RULES: Rules = (
    ("b(ne|nez|eqz|eq)|loop|_?j|ssa8l", _registers.only_read),
    (r"ldinc|mula\..*\.ldinc", _loads_and_moves),
    (r"mula\..*", _sums),
    (r"wsr(\.acclo)?", _writes_sum),
    (r"rsr(\.acclo)?", _reads_sum),
    ("l(8ui|16[su]i|32i)", _registers.loaded),
    ("s(8|16|32)i", _registers.stored),
    ("add|addi|addmi|and|extui|mov|mul16s|mull|or|slli|srai|sub|xor|src|srl", _registers.computed),
)


def effect(mnemonic: str, words: list[str]) -> Effect:
    """Of one instruction."""
    return by_rules(_RULES, mnemonic, words)
