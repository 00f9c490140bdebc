"""What AVR's instructions do.  The pointers X, Y and Z are one register each."""

from __future__ import annotations

import re

from tests.assembly.effect import NOTHING, Effect, Registers, Rules, by_rules

NAMES = {
    **{f"r{26 + number}": "XXYYZZ"[number] for number in range(6)},
    **{f"{name}{half}": name for name in "XYZ" for half in ("", "L", "H")},
    "__zero_reg__": "r1",
    "__tmp_reg__": "r0",
}
_registers = Registers(re.compile(r"%\w+|\b(?:r\d+|[XYZ][LH]?|__zero_reg__|__tmp_reg__)\b"), NAMES)


def _pair(word: str) -> str:
    """Both registers of what names the lower one."""
    low = re.fullmatch(r"r(\d+)", word)
    return f"{word} r{int(low[1]) + 1}" if low else word


def _multiplies(_: str, words: list[str]) -> Effect:
    return Effect(frozenset(("r0", "r1")), _registers(*words))


def _makes(mnemonic: str, words: list[str]) -> Effect:
    its = [_pair(each) for each in words] if mnemonic == "movw" else words
    return Effect(_registers(its[0]), _registers(*its[1:]))


def _changes(mnemonic: str, words: list[str]) -> Effect:
    its = [_pair(each) for each in words] if mnemonic in ("adiw", "sbiw") else words
    is_new = mnemonic in ("sub", "sbc", "eor") and words[0] == words[1]
    return Effect(_registers(its[0]), NOTHING if is_new else _registers(*its))


def _stores(_: str, words: list[str]) -> Effect:
    base, moved = _address(words[0])
    return Effect(moved, base | _registers(words[1]), stores=True)


def _loads(mnemonic: str, words: list[str]) -> Effect:
    register, address = words or ["r0", "Z"]
    base, moved = _address(address)
    return Effect(moved | _registers(register), base, loads=not mnemonic.endswith("lpm"))


def _address(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The pointer, and the pointer again if it moves."""
    base = _registers(re.split(r"[+]\d", text)[0].strip("+-"))
    return base, base if re.search(r"\+$|^-", text) else NOTHING


_RULES: Rules = (
    ("mul|muls|mulsu|fmul|fmuls|fmulsu", _multiplies),
    ("ldd?|e?lpm", _loads),  # flash is constant: loads from there are of no memory that changes
    ("std?", _stores),
    (r"br\w+|rjmp|cp[ci]?|cpse|tst|bst|sbr[cs]|out|sec|nop", _registers.only_read),
    ("clr|ldi|mov|movw|in", _makes),
    ("com|dec|inc|lsl|lsr|asr|rol|ror|neg|swap", _changes),
    ("adc|add|and|andi|eor|or|ori|sbc|sbci|sub|subi|adiw|sbiw", _changes),
)


def effect(mnemonic: str, words: list[str]) -> Effect:
    """Of one instruction."""
    return by_rules(_RULES, mnemonic, words)
