"""Thumb and Thumb-2 as far as GCC and libgcc use them."""

from __future__ import annotations

import re
from dataclasses import replace

from tinyml_rules.firmware.decoders.effect import Effect, Flow, branch_target

RETURN_ADDRESS_BYTES = 0

_CONDITION = "eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le|hs|lo"
_MNEMONIC = re.compile(
    r"^(blx|bl|bx|b|cbn?z|v?push|v?pop|v?stmdb|v?ldmia|ldm|addw?|subw?|[a-z]+?)"
    rf"({_CONDITION})?(?:\.[nw])?$"
)
_BRANCHES = {"b": Flow.JUMP, "bl": Flow.CALL, "cbz": Flow.BRANCH, "cbnz": Flow.BRANCH}
_PUSHES = ("push", "vpush", "stmdb", "vstmdb")
_POPS = ("pop", "vpop", "ldmia", "ldm", "vldmia")
_CONSTANT = re.compile(r"^sp, (?:sp, )?#(\d+)")
_MOVED_BY_ACCESS = re.compile(r"\[sp, #(-?\d+)\]!|\[sp\], #(-?\d+)")


def decode(mnemonic: str, operands: str, next_address: int) -> Effect:
    del next_address  # only AVR makes room by calling the next instruction
    match = _MNEMONIC.match(mnemonic)
    name, condition = (match[1], match[2]) if match else (mnemonic, None)
    effect = _branch(name, operands) or _stack(name, operands)
    return _perhaps(effect) if condition else effect


def _perhaps(effect: Effect) -> Effect:
    """An instruction that may do nothing: what it pushes counts, what it pops does not."""
    flows = {Flow.JUMP: Flow.BRANCH, Flow.RETURN: Flow.NEXT}
    return replace(
        effect,
        flow=flows.get(effect.flow, effect.flow),
        push_bytes=max(effect.push_bytes, 0),
    )


def _branch(name: str, operands: str) -> Effect | None:
    if name in _BRANCHES:
        return Effect(_BRANCHES[name], branch_target(operands))
    if (name, operands) in (("bx", "lr"), ("mov", "pc, lr")):
        return Effect(Flow.RETURN)
    if name in ("bx", "blx") or (name == "mov" and operands.startswith("pc,")):
        return Effect(Flow.INDIRECT)
    return None  # tbb and tbh too: the cases of a switch lie in the same function


def _stack(name: str, operands: str) -> Effect:
    """Instructions that move the stack pointer; some of them load the program counter."""
    registers = operands.removeprefix("sp!, ")
    is_list_on_stack = registers.startswith("{") or registers != operands
    if is_list_on_stack and name in _PUSHES:
        return Effect(push_bytes=_register_bytes(registers))
    if is_list_on_stack and name in _POPS:
        flow = Flow.RETURN if re.search(r"\bpc\b", registers) else Flow.NEXT
        return Effect(flow, push_bytes=-_register_bytes(registers))
    if constant := _CONSTANT.match(operands):
        if name.startswith(("add", "sub")):
            return Effect(push_bytes=int(constant[1]) * (1 if name.startswith("sub") else -1))
    elif access := _MOVED_BY_ACCESS.search(operands):
        flow = Flow.RETURN if operands.startswith("pc,") else Flow.NEXT
        return Effect(flow, push_bytes=-int(access[1] or access[2]))
    if name.startswith("ldr") and operands.startswith("pc,"):
        return Effect(Flow.INDIRECT)
    is_result = operands.startswith("sp,") and not name.startswith(("cmp", "st"))
    return Effect(moves_stack_unknown=is_result)


def _register_bytes(operands: str) -> int:
    """`{r4-r6, lr}` -> 16; a register whose name begins with d has eight bytes."""
    count_bytes = 0
    for item in operands.strip("{} ").split(","):
        first, _, last = item.strip().partition("-")
        size = 8 if first.startswith("d") else 4
        span = int(last[1:]) - int(first[1:]) + 1 if last else 1
        count_bytes += size * span
    return count_bytes
