"""Reads the output of `objdump -d`: where each instruction goes next and what it pushes.

Knows AVR and Thumb-2 as far as compiled code and libgcc use them; whatever moves the stack
pointer in a way that is not understood here is reported as such, never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto


class Flow(Enum):
    """What follows an instruction."""

    NEXT = auto()
    SKIP = auto()
    """The next instruction or the one after it."""
    BRANCH = auto()
    """The next instruction or the target."""
    JUMP = auto()
    CALL = auto()
    RETURN = auto()
    INDIRECT = auto()
    """An address that is known only when the program runs."""


@dataclass(frozen=True)
class Effect:
    """What one instruction does; `push_bytes` is negative if it pops."""

    flow: Flow = Flow.NEXT
    target: int | None = None
    push_bytes: int = 0
    moves_stack_unknown: bool = False


@dataclass(frozen=True)
class Instruction:
    """One instruction, `next_address` being that of the one behind it in memory."""

    address: int
    next_address: int
    text: str
    effect: Effect


@dataclass(frozen=True)
class Code:
    """A disassembled program: instructions by address, and the functions' address ranges."""

    instructions: Mapping[int, Instruction]
    symbols: Mapping[int, tuple[str, ...]]
    """The names of each address that has any."""
    return_address_bytes: int
    """What a call instruction itself pushes."""


_LINE = re.compile(r"^\s*([0-9a-f]+):\t(\S+)\s*(.*)$")
_LABEL = re.compile(r"^([0-9a-f]+) <(.+)>:$")
_TARGET = re.compile(r"\b(?:0x)?([0-9a-f]+) <")


def read_disassembly(text: str, *, architecture: str) -> Code:
    """The program in `text`, printed by `objdump -d --no-show-raw-insn`."""
    decode, return_address_bytes = _DECODERS[architecture]
    lines: list[tuple[int, str, str]] = []
    symbols: dict[int, tuple[str, ...]] = {}
    for line in text.splitlines():
        if label := _LABEL.match(line):
            address = int(label[1], 16)
            symbols[address] = (*symbols.get(address, ()), label[2])
        elif (match := _LINE.match(line)) and not match[2].startswith("."):
            lines.append((int(match[1], 16), match[2], match[3]))
    instructions = {}
    for index, (address, mnemonic, operands) in enumerate(lines):
        is_last = index + 1 == len(lines)
        next_address = address + 2 if is_last else lines[index + 1][0]
        effect = decode(mnemonic, operands, next_address)
        text_line = f"{mnemonic} {operands}".strip()
        instructions[address] = Instruction(address, next_address, text_line, effect)
    return Code(instructions, symbols, return_address_bytes)


def _branch_target(operands: str) -> int | None:
    match = _TARGET.search(operands)
    return int(match[1], 16) if match else None


# ---- AVR ----

_AVR_SKIPS = ("cpse", "sbrc", "sbrs", "sbic", "sbis")
_AVR_STACK_POINTER = ("0x3d", "0x3e")


def _decode_avr(mnemonic: str, operands: str, next_address: int) -> Effect:  # noqa: PLR0911
    target = _branch_target(operands)
    match mnemonic:
        case "push":
            return Effect(push_bytes=1)
        case "pop":
            return Effect(push_bytes=-1)
        case "call" | "rcall" if target == next_address:
            return Effect(push_bytes=2)  # the shortest way to make room for two bytes
        case "call" | "rcall":
            return Effect(Flow.CALL, target)
        case "jmp" | "rjmp":
            return Effect(Flow.JUMP, target)
        case "ret" | "reti":
            return Effect(Flow.RETURN)
        case "icall" | "eicall" | "ijmp" | "eijmp":
            return Effect(Flow.INDIRECT)
        case "out" if operands.startswith(_AVR_STACK_POINTER):
            return Effect(moves_stack_unknown=True)
    if mnemonic in _AVR_SKIPS:
        return Effect(Flow.SKIP)
    if mnemonic.startswith("br") and mnemonic != "break":
        return Effect(Flow.BRANCH, target)
    return Effect()


# ---- Arm, Thumb-2 ----

_CONDITION = "eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le|hs|lo"
_ARM_MNEMONIC = re.compile(
    r"^(blx|bl|bx|b|cbn?z|v?push|v?pop|v?stmdb|v?ldmia|ldm|addw?|subw?|[a-z]+?)"
    rf"({_CONDITION})?(?:\.[nw])?$"
)
_ARM_BRANCHES = {"b": Flow.JUMP, "bl": Flow.CALL, "cbz": Flow.BRANCH, "cbnz": Flow.BRANCH}
_ARM_PUSHES = ("push", "vpush", "stmdb", "vstmdb")
_ARM_POPS = ("pop", "vpop", "ldmia", "ldm", "vldmia")
_ARM_CONSTANT = re.compile(r"^sp, (?:sp, )?#(\d+)")
_ARM_MOVED_BY_ACCESS = re.compile(r"\[sp, #(-?\d+)\]!|\[sp\], #(-?\d+)")


def _decode_arm(mnemonic: str, operands: str, next_address: int) -> Effect:
    del next_address  # only AVR makes room by calling the next instruction
    match = _ARM_MNEMONIC.match(mnemonic)
    name, condition = (match[1], match[2]) if match else (mnemonic, None)
    effect = _decode_arm_branch(name, operands) or _decode_arm_stack(name, operands)
    return _perhaps(effect) if condition else effect


def _perhaps(effect: Effect) -> Effect:
    """An instruction that may do nothing: what it pushes counts, what it pops does not."""
    flows = {Flow.JUMP: Flow.BRANCH, Flow.RETURN: Flow.NEXT}
    return replace(
        effect,
        flow=flows.get(effect.flow, effect.flow),
        push_bytes=max(effect.push_bytes, 0),
    )


def _decode_arm_branch(name: str, operands: str) -> Effect | None:
    if name in _ARM_BRANCHES:
        return Effect(_ARM_BRANCHES[name], _branch_target(operands))
    if (name, operands) in (("bx", "lr"), ("mov", "pc, lr")):
        return Effect(Flow.RETURN)
    if name in ("bx", "blx") or (name == "mov" and operands.startswith("pc,")):
        return Effect(Flow.INDIRECT)
    return None  # tbb and tbh too: the cases of a switch lie in the same function


def _decode_arm_stack(name: str, operands: str) -> Effect:
    """Instructions that move the stack pointer; some of them load the program counter."""
    registers = operands.removeprefix("sp!, ")
    is_list_on_stack = registers.startswith("{") or registers != operands
    if is_list_on_stack and name in _ARM_PUSHES:
        return Effect(push_bytes=_register_bytes(registers))
    if is_list_on_stack and name in _ARM_POPS:
        flow = Flow.RETURN if re.search(r"\bpc\b", registers) else Flow.NEXT
        return Effect(flow, push_bytes=-_register_bytes(registers))
    if constant := _ARM_CONSTANT.match(operands):
        if name.startswith(("add", "sub")):
            return Effect(push_bytes=int(constant[1]) * (1 if name.startswith("sub") else -1))
    elif access := _ARM_MOVED_BY_ACCESS.search(operands):
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


_DECODERS: Mapping[str, tuple[Callable[[str, str, int], Effect], int]] = {
    "avr": (_decode_avr, 2),
    "arm": (_decode_arm, 0),
}
