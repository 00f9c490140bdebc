"""Thumb and Thumb-2 as far as GCC and libgcc use them."""

from __future__ import annotations

import re
from dataclasses import replace

from tinyml_rules.firmware.decoders.effect import Effect, Flow, InlineTable, branch_target
from tinyml_rules.firmware.decoders.registers import Entry, Registers, Value, WordAt

RETURN_ADDRESS_BYTES = 0

_CONDITION = "eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le|hs|lo"
_MNEMONIC = re.compile(
    r"^(blx|bl|bx|b|cbn?z|v?push|v?pop|v?stmdb|v?ldmia|ldm|addw?|subw?|[a-z]+?)"
    rf"({_CONDITION})?(?:\.[nw])?$"
)
_BRANCHES = {"b": Flow.JUMP, "bl": Flow.CALL, "cbz": Flow.BRANCH, "cbnz": Flow.BRANCH}
_INLINE_TABLES = {"tbb": InlineTable(1), "tbh": InlineTable(2)}
_SWITCH_HELPER = re.compile(r"<__gnu_thumb1_case_([us]?[qhs]i)>")
_HELPERS_TABLES = {
    "uqi": InlineTable(1),
    "sqi": InlineTable(1, is_signed=True),
    "uhi": InlineTable(2),
    "shi": InlineTable(2, is_signed=True),
    "si": InlineTable(4, factor=1, is_signed=True),
}
"""The functions of libgcc that return to a case, by the table that follows the call."""
_PUSHES = ("push", "vpush", "stmdb", "vstmdb")
_POPS = ("pop", "vpop", "ldmia", "ldm", "vldmia")
_CONSTANT = re.compile(r"^sp, (?:sp, )?#(\d+)")
_MOVED_BY_ACCESS = re.compile(r"\[sp, #(-?\d+)\]!|\[sp\], #(-?\d+)")

_REGISTER = re.compile(r"\b(?:r\d+|s[bl]|fp|ip|lr)\b")
_COMPARED = re.compile(r"(\w+), #(\d+)")
_LITERAL = re.compile(r"(\w+), \[pc, #\d+\]\s+@ \(([0-9a-f]+) ")
_LOAD = re.compile(r"(\w+), \[(\w+), (\w+)\]$")
_SHIFT = re.compile(r"(\w+), (\w+), #(\d+)")
_MOVE = re.compile(r"(\w+), (?!sp|pc)(\w+)$")
_CHANGES_NONE = re.compile(rf"str[bh]?|push|cmp|cmn|tst|nop|bx?|b({_CONDITION})|cbn?z")
_CHANGES_MANY = ("blx", "bl", "pop", "ldm", "svc")
_KEEPS_FLAGS = re.compile(rf"mov|ldr|str|b({_CONDITION})?")


def decode(mnemonic: str, operands: str, next_address: int) -> Effect:
    del next_address  # only AVR makes room by calling the next instruction
    match = _MNEMONIC.match(mnemonic)
    name, condition = (match[1], match[2]) if match else (mnemonic, None)
    effect = _branch(name, operands) or _stack(name, operands)
    return _perhaps(effect) if condition else effect


def _perhaps(effect: Effect) -> Effect:
    """An instruction that may do nothing: what it pushes counts, what it pops does not."""
    flows = {Flow.JUMP: Flow.BRANCH, Flow.RETURN: Flow.MAY_RETURN}
    return replace(
        effect,
        flow=flows.get(effect.flow, effect.flow),
        push_bytes=max(effect.push_bytes, 0),
    )


def _branch(name: str, operands: str) -> Effect | None:
    if name in _BRANCHES:
        helper = _SWITCH_HELPER.search(operands) if name == "bl" else None
        table = _HELPERS_TABLES[helper[1]] if helper else None
        return Effect(_BRANCHES[name], branch_target(operands), table=table)
    if (name, operands) in (("bx", "lr"), ("mov", "pc, lr")):
        return Effect(Flow.RETURN)
    if name in ("bx", "blx") or (name == "mov" and operands.startswith("pc,")):
        return Effect(Flow.INDIRECT)
    if name in _INLINE_TABLES:
        return Effect(Flow.SWITCH, table=_INLINE_TABLES[name])
    return None


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


def jump_register(text: str) -> str | None:
    """The register with the target of a jump, None for a call or a return."""
    match = re.match(r"(?:mov\s+pc, |bx\s+)(\w+)$", text)
    return match[1] if match else None


def evaluate(address: int, text: str, registers: Registers, word_at: WordAt) -> None:
    """Apply one Thumb-1 instruction to the registers, as far as a switch needs it."""
    del address  # objdump says where a literal is
    mnemonic, _, operands = text.partition(" ")
    name, operands = mnemonic.removesuffix(".n"), operands.strip()
    compared = registers.compared
    if not _KEEPS_FLAGS.fullmatch(name):
        registers.compared = None
    if name == "cmp" and (match := _COMPARED.match(operands)):
        value = registers.number(match[1])
        registers.compared = (value, int(match[2])) if value else None
    elif name == "bhi":
        registers.passed = compared
    elif name == "bls":
        registers.taken = compared
    elif name == "ldr" and (match := _LITERAL.match(operands)):
        word = word_at(int(match[2], 16))
        registers.put(match[1], None if word is None else Value(word))
    elif name == "ldr" and (match := _LOAD.match(operands)):
        place = registers.sum(match[2], match[3])
        registers.put(match[1], Entry(place) if isinstance(place, Value) else None)
    elif name == "lsls" and (match := _SHIFT.match(operands)):
        registers.put(match[1], registers.scaled(match[2], int(match[3])))
    elif name in ("mov", "movs") and (match := _MOVE.match(operands)):
        registers.put(match[1], registers.number(match[2]))
    elif name.startswith(_CHANGES_MANY):
        registers.forget()
    elif not _CHANGES_NONE.fullmatch(name) or "!" in operands or "]," in operands:
        registers.forget(*_REGISTER.findall(operands))
