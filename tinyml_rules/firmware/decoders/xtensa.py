"""Xtensa as far as GCC and libgcc use it, with register windows and without."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from tinyml_rules.firmware.decoders.effect import Effect, Flow, branch_target

RETURN_ADDRESS_BYTES = 0

_WINDOW_SAVE_BYTES = 16
"""Below the stack pointer of a function with register windows, four registers of its caller are
kept when the windows run out."""

_CALLS = ("call0", "call4", "call8", "call12")
_CALLS_BY_REGISTER = ("callx0", "callx4", "callx8", "callx12")
_RETURNS = ("ret", "ret.n", "retw", "retw.n", "rfe", "rfde", "rfi", "rfwo", "rfwu")
_LOAD = re.compile(r"^(a\d+), ([0-9a-f]+)\b")
_MOVED = re.compile(r"^a1, a1, (-?(?:0x)?[0-9a-f]+)")
_ENTRY = re.compile(r"^a1, (\d+)")


def decode(mnemonic: str, operands: str, next_address: int) -> Effect:  # noqa: PLR0911
    del next_address  # only AVR makes room by calling the next instruction
    target = branch_target(operands)
    if mnemonic in _CALLS:
        return Effect(Flow.CALL, target)
    if mnemonic == "j":
        return Effect(Flow.JUMP, target)
    if mnemonic in _RETURNS:
        return Effect(Flow.RETURN)
    if mnemonic in _CALLS_BY_REGISTER or mnemonic == "jx":
        return Effect(Flow.INDIRECT)
    is_branch = mnemonic.startswith("b") and not mnemonic.startswith("break")
    if is_branch or mnemonic.startswith("loop"):  # `loop` may skip to the end of what it repeats
        return Effect(Flow.BRANCH, target)
    if mnemonic == "entry" and (size := _ENTRY.match(operands)):
        return Effect(push_bytes=int(size[1]), below_bytes=_WINDOW_SAVE_BYTES)
    if mnemonic in ("addi", "addi.n", "addmi") and (moved := _MOVED.match(operands)):
        return Effect(push_bytes=-int(moved[1], 0))
    is_result = operands.startswith("a1,") and not mnemonic.startswith(("s8", "s16", "s32", "w"))
    return Effect(moves_stack_unknown=is_result)


def resolve(
    lines: Sequence[tuple[int, str, str]], word_at: Callable[[int], int | None]
) -> list[tuple[int, str, str]]:
    """`l32r aN, literal` and directly behind it `callx aN` or `jx aN`: as a call or jump to the
    word that the literal holds, which nobody changes; not where a branch leads between the two."""
    targets = {branch_target(operands) for _, mnemonic, operands in lines if mnemonic != "l32r"}
    resolved = list(lines)
    for index, (address, mnemonic, operands) in enumerate(lines[1:], start=1):
        load = _LOAD.match(lines[index - 1][2])
        is_pair = lines[index - 1][1] == "l32r" and load is not None and load[1] == operands
        is_by_register = mnemonic in _CALLS_BY_REGISTER or mnemonic == "jx"
        if load is None or not is_pair or not is_by_register or address in targets:
            continue
        word = word_at(int(load[2], 16))
        if word is not None:
            resolved[index] = (address, mnemonic.replace("x", ""), f"{word:x} <{operands}>")
    return resolved
