"""Reads the output of `objdump -d`: where each instruction goes next and what it pushes.

Knows AVR and Thumb-2 as far as compiled code and libgcc use them; whatever moves the stack
pointer in a way that is not understood here is reported as such, never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
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

_CONDITION = "(?:eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le|hs|lo)"
_ARM_JUMP = re.compile(rf"^b({_CONDITION})?(?:\.[nw])?$")
_ARM_PUSH = re.compile(rf"^(v?)(?:push|stm(?:db|fd))({_CONDITION})?(?:\.[nw])?$")
_ARM_POP = re.compile(rf"^(v?)(?:pop|ldm(?:ia|fd)?)({_CONDITION})?(?:\.[nw])?$")
_ARM_ADJUST = re.compile(rf"^(add|sub)(?:w|s)?({_CONDITION})?(?:\.[nw])?$")
_ARM_STACK_CONSTANT = re.compile(r"^sp, (?:sp, )?#(\d+)")
_ARM_STORE_LOAD = re.compile(r"\[sp, #(-\d+)\]!|\[sp\], #(\d+)")


def _decode_arm(mnemonic: str, operands: str, next_address: int) -> Effect:  # noqa: PLR0911
    del next_address  # only AVR makes room by calling the next instruction
    target = _branch_target(operands)
    if mnemonic == "bl":
        return Effect(Flow.CALL, target)
    if match := _ARM_JUMP.match(mnemonic):
        return Effect(Flow.BRANCH if match[1] else Flow.JUMP, target)
    if mnemonic in ("cbz", "cbnz"):
        return Effect(Flow.BRANCH, target)
    if mnemonic.startswith("bx") and operands == "lr":
        # A conditional return goes on, too.
        return Effect(Flow.RETURN if mnemonic == "bx" else Flow.NEXT)
    if mnemonic.startswith(("bx", "blx")):
        return Effect(Flow.INDIRECT)
    if mnemonic.startswith(("tbb", "tbh")):
        return Effect(Flow.NEXT)  # a switch: its cases lie in the same function
    return _decode_arm_stack(mnemonic, operands)


def _decode_arm_stack(mnemonic: str, operands: str) -> Effect:
    """Instructions that move the stack pointer, or load the program counter."""
    list_operands = operands.removeprefix("sp!, ")
    is_on_stack = list_operands.startswith("{") or operands.startswith("sp!")
    if is_on_stack and (match := _ARM_PUSH.match(mnemonic)):
        return Effect(push_bytes=_register_bytes(list_operands))
    if is_on_stack and (match := _ARM_POP.match(mnemonic)):
        if match[2]:
            return Effect()  # if it happens at all it returns, or only lowers the depth
        is_return = bool(re.search(r"\bpc\b", list_operands))
        flow = Flow.RETURN if is_return else Flow.NEXT
        return Effect(flow, push_bytes=-_register_bytes(list_operands))
    if (match := _ARM_ADJUST.match(mnemonic)) and (constant := _ARM_STACK_CONSTANT.match(operands)):
        return Effect(push_bytes=int(constant[1]) * (1 if match[1] == "sub" else -1))
    if match := _ARM_STORE_LOAD.search(operands):
        moved = int(match[1] or match[2])
        flow = Flow.RETURN if operands.startswith("pc") else Flow.NEXT
        return Effect(flow, push_bytes=-moved)
    if re.match(r"^(sp|pc)\b", operands) and not mnemonic.startswith(("cmp", "st", "tst")):
        is_jump = operands.startswith("pc")
        return Effect(Flow.INDIRECT) if is_jump else Effect(moves_stack_unknown=True)
    return Effect()


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
