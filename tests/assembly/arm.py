"""What Arm's instructions do: Thumb-1 and 2, the DSP extension, Helium, whose predicate is `vpr`.

The flags GE, by which SEL chooses, are none that a compiler keeps.
"""

from __future__ import annotations

import re

from tests.assembly.effect import NOTHING, Effect, Registers, Rules, by_rules

NAMES = {"sl": "r10", "fp": "r11", "ip": "r12", "r14": "lr", "r13": "sp", "p0": "vpr"}
_registers = Registers(re.compile(r"%\w+|\b(?:r\d+|q\d|p0|sl|fp|ip|lr|sp)\b"), NAMES)
_IF = "(?:eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)?"
_TWO_OPERANDS = frozenset(("add", "adds", "sub", "subs", "muls"))
"""The first of two operands is read too."""
_ADDED_TO = re.compile(r"bfi$|vmlas?\.s32$|vmla(da)?va\.s(8|16)$")


def _list(text: str) -> frozenset[str]:
    """Those in braces."""
    found: list[str] = []
    for each in text.strip("{}").split(","):
        first, _, last = each.strip().partition("-")
        numbers = range(int(first[1:]), int(last[1:]) + 1) if last else ()
        found += [f"r{number}" for number in numbers] or [first]
    return _registers(*found)


def _compares(_: str, words: list[str]) -> Effect:
    return Effect(reads=_registers(*words), sets_flags=True)


def _predicates(_: str, words: list[str]) -> Effect:
    return Effect(frozenset(("vpr",)), _registers(*words))


def _counts(_: str, words: list[str]) -> Effect:
    return Effect(_registers(words[0]), _registers(*words))


def _pushes(_: str, words: list[str]) -> Effect:
    its = _list(words[0])
    return Effect(reads=its, stack_bytes=4 * len(its))


def _pops(_: str, words: list[str]) -> Effect:
    its = _list(words[0])
    return Effect(its, stack_bytes=-4 * len(its))


def _loads_or_stores_many(mnemonic: str, words: list[str]) -> Effect:
    its, base = _list(words[1]), _registers(words[0].rstrip("!"))
    moved = base if words[0].endswith("!") else NOTHING
    is_far = base != {"sp"}
    if mnemonic == "ldm":
        return Effect(its | moved, base, loads=is_far)
    return Effect(moved, its | base, stores=is_far)


def _loads(_: str, words: list[str]) -> Effect:
    its, address, base, moved = _address(words)
    is_far = "[" in address and base != {"sp"}
    return Effect(its | moved, _registers(*words[len(its) :]) | base, loads=is_far)


def _stores(_: str, words: list[str]) -> Effect:
    address, base, moved = _address(words)[1:]
    is_far = "[" in address and base != {"sp"}
    return Effect(moved if "[" in address else base, _registers(*words), stores=is_far)


def _address(words: list[str]) -> tuple[frozenset[str], str, frozenset[str], frozenset[str]]:
    """What is loaded or stored, the address, which may be an operand, its base, and the base again
    if it moves."""
    place = next((at for at, each in enumerate(words) if "[" in each), len(words) - 1)
    address = words[place]
    is_moved = address.endswith("!") or (len(words) > place + 1 and "[" in address)
    base = _registers(re.split(r"[,\]]", address)[0])
    return _registers(*words[:place]), address, base, base if is_moved else NOTHING


def _computes(mnemonic: str, words: list[str]) -> Effect:
    if words[0] == "sp":
        (size,) = (int(each.strip("#")) for each in words[1:])
        return Effect(stack_bytes=-size if mnemonic == "add" else size)
    count = 2 if mnemonic in ("smull", "umull") else 1
    is_twice = mnemonic in _TWO_OPERANDS and len(words) == 2
    reads = words if is_twice or _ADDED_TO.match(mnemonic) else words[count:]
    sets_flags = bool(re.match(r"(add|sub|rsb|and|orr|asr|lsl|lsr|mov|mul)s$", mnemonic))
    return Effect(_registers(*words[:count]), _registers(*reads), sets_flags=sets_flags)


_RULES: Rules = (
    (rf"b{_IF}|it[te]*|cbn?z", _registers.only_read),
    (r"cmp|cmn|tst|msr", _compares),  # MSR of the flags
    (r"vpst|vctp\.16", _predicates),
    (r"dls|dlstp\.\d+|le|letp", _counts),
    ("push", _pushes),
    ("pop", _pops),
    ("ldm|stm", _loads_or_stores_many),
    (rf"(ldr|ldrs?[bh]|ldrd){_IF}|vldr[bh]t?\.[su]?\d+", _loads),
    (rf"(str[bh]?|strd){_IF}|vstrb\.\d+", _stores),
    (rf"(add|sub|rsb|and|orr|asr|lsl|lsr|mov|mul)(s|{_IF})|bic|bfi|sbfx|sxtb|ml[as]", _computes),
    (r"[su]mull|ssat|qadd|sel|pkhbt|pkhtb|sh?(add|sub)(8|16)|sasx|ssax|sxta?b16|uxtb16", _computes),
    (r"sml[as][bt]{2}|sml[as]dx?|sm(la|ul)w[bt]|smul[bt]{2}|smuad|smml?[au]lr|smmlar", _computes),
    (r"v(add|max|min|mla|mlas|mul|qmovnb|qrdmulh|rshl|shr|mla(da)?va)\.[isu]\d+", _computes),
    (r"vmov|vmrs|vmsr", _computes),
)


def effect(mnemonic: str, words: list[str]) -> Effect:
    """Of one instruction."""
    return by_rules(_RULES, mnemonic, words)
