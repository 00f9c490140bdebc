"""Xtensa as far as GCC and libgcc use it, with register windows and without."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from tinyml_rules.firmware.decoders.effect import Effect, Flow

RETURN_ADDRESS_BYTES = 0

_WINDOW_SAVE_BYTES = 16
"""Below the stack pointer of a function with register windows, four registers of its caller are
kept when the windows run out."""

_CALLS = ("call0", "call4", "call8", "call12")
_CALLS_BY_REGISTER = ("callx0", "callx4", "callx8", "callx12")
_RETURNS = ("ret", "ret.n", "retw", "retw.n", "rfe", "rfde", "rfi", "rfwo", "rfwu")
_TARGET = re.compile(r"(?:^|, )(?:0x)?([0-9a-f]+)(?: <.*)?$")
"""The last operand: GNU's objdump writes `40 <f>`, LLVM's `0x40`."""
_LOAD = re.compile(r"^(a\d+), (?:0x)?([0-9a-f]+)\b")
_MOVED = re.compile(r"^a1, a1, (-?(?:0x)?[0-9a-f]+)")
_ENTRY = re.compile(r"^a1, (\d+)")


def decode(mnemonic: str, operands: str, next_address: int) -> Effect:  # noqa: PLR0911
    del next_address  # only AVR makes room by calling the next instruction
    if mnemonic in _CALLS:
        return Effect(Flow.CALL, _target(operands))
    if mnemonic == "j":
        return Effect(Flow.JUMP, _target(operands))
    if mnemonic in _RETURNS:
        return Effect(Flow.RETURN)
    if mnemonic in _CALLS_BY_REGISTER or mnemonic == "jx":
        return Effect(Flow.INDIRECT)
    if _is_branch(mnemonic):
        return Effect(Flow.BRANCH, _target(operands))
    if mnemonic == "entry" and (size := _ENTRY.match(operands)):
        return Effect(push_bytes=int(size[1]), below_bytes=_WINDOW_SAVE_BYTES)
    if mnemonic in ("addi", "addi.n", "addmi") and (moved := _MOVED.match(operands)):
        return Effect(push_bytes=-int(moved[1], 0))
    if mnemonic == "rsil" and int(operands.rsplit(",", 1)[1], 0) == 0:
        return Effect(lets_interrupts_in=True)
    is_result = operands.startswith("a1,") and not mnemonic.startswith(("s8", "s16", "s32", "w"))
    return Effect(moves_stack_unknown=is_result)


def _is_branch(mnemonic: str) -> bool:
    """`loop` too: it may skip to the end of what it repeats."""
    return mnemonic.startswith(("b", "loop")) and not mnemonic.startswith("break")


def _target(operands: str) -> int | None:
    match = _TARGET.search(operands)
    return int(match[1], 16) if match else None


def resolve(
    lines: Sequence[tuple[int, str, str]], word_at: Callable[[int], int | None]
) -> list[tuple[int, str, str]]:
    """`l32r aN, literal` followed directly by `callx aN` or `jx aN`: as a call or jump to the
    constant in the literal; not if a branch leads between the two."""
    targets = {
        _target(operands)
        for _, mnemonic, operands in lines
        if mnemonic in ("j", *_CALLS) or _is_branch(mnemonic)
    }
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
