"""32-bit RISC-V, compressed instructions included, as far as GCC and libgcc use it.

objdump prints a compressed instruction as the plain one that it abbreviates, and the target of a
pair (`auipc`, then `jalr` or `jr`) after the second one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tinyml_rules.firmware.decoders.effect import Effect, Flow, branch_target
from tinyml_rules.firmware.decoders.registers import Entry, Registers, Value, WordAt

RETURN_ADDRESS_BYTES = 0

_BRANCH = re.compile(r"b(?:eq|ne|lt|ge|gt|le)[uz]?")
_PAIR = re.compile(r"(?:-?\d+\((?:ra|t1)\)|ra) +#")
"""The second of a pair: by convention a call takes ra, a tail call t1.  A pointer is never in ra,
and one in t1 is jumped to without an offset."""
_JUMPS = {
    "j": (Flow.JUMP, re.compile("")),
    "jr": (Flow.JUMP, _PAIR),
    "jal": (Flow.CALL, re.compile(r"ra,|[0-9a-f]+ ")),
    "jalr": (Flow.CALL, _PAIR),
}
"""The flow of each if its operands begin like this; otherwise it jumps to a pointer, or keeps the
return address in another register."""
_WORD = 0xFFFF_FFFF
_OPCODE, _SYSTEM = 0x7F, 0x73
_MSTATUS = 0x300
_STATUS_WRITE = re.compile(
    r"csr(?:w|s)i? mstatus,(?!zero|0$)|csrr(?:w|s)i? \w+,mstatus,(?!zero|0$)"
)
"""Written, or some of its bits set, by a register or a constant."""
_CONSTANT = re.compile(r"sp,sp,(-?\d+)$")
_PLACE = re.compile(r"(-?\d+)\((\w+)\)")
_CHANGES_NONE = re.compile(rf"s[wbh]|{_BRANCH.pattern}|j|jr|ret|nop|fence")
_CHANGES_ONE = re.compile(r"(?!cm|j|ecall)[a-z]")
"""All but calls and instructions that restore many registers."""


def decode(mnemonic: str, operands: str, next_address: int) -> Effect:
    del next_address  # only AVR makes room by calling the next instruction
    return _branch(mnemonic, operands) or _stack(mnemonic, operands)


def _branch(mnemonic: str, operands: str) -> Effect | None:
    if mnemonic in ("ret", "mret") or (mnemonic, operands) == ("jr", "t0"):  # by convention
        return Effect(Flow.RETURN)
    if mnemonic in _JUMPS:
        flow, direct = _JUMPS[mnemonic]
        is_direct = direct.match(operands) is not None
        return Effect(flow, branch_target(operands)) if is_direct else Effect(Flow.INDIRECT)
    is_branch = _BRANCH.fullmatch(mnemonic) is not None
    return Effect(Flow.BRANCH, branch_target(operands)) if is_branch else None


def _stack(mnemonic: str, operands: str) -> Effect:
    """An addition of an immediate to the stack pointer; any other use is not understood."""
    if mnemonic.startswith("."):  # unknown to objdump: harmless if it is one for status registers
        word = int(operands, 16)
        return Effect(
            moves_stack_unknown=word & _OPCODE != _SYSTEM,
            lets_interrupts_in=word & _OPCODE == _SYSTEM and _may_set_status(word),
        )
    if mnemonic.startswith("csr") and _STATUS_WRITE.match(f"{mnemonic} {operands}"):
        return Effect(lets_interrupts_in=True)
    if mnemonic in ("add", "addi") and (constant := _CONSTANT.match(operands)):
        return Effect(push_bytes=-int(constant[1]))
    is_result = operands.startswith("sp,") and mnemonic not in ("sw", "sh", "sb")
    return Effect(moves_stack_unknown=is_result)


def _may_set_status(word: int) -> bool:
    """An instruction of the Zicsr extension that writes mstatus, or sets some of its bits."""
    operation, source = word >> 12 & 3, word >> 15 & 31
    is_write, is_set = operation == 1, operation == 2 and source != 0
    return word >> 20 == _MSTATUS and (is_write or is_set)


def jump_register(text: str) -> str | None:
    """The register with the target of a jump, None for a call and for a jump with an offset."""
    match = re.match(r"jr\s+(\w+)$", text)
    return match[1] if match else None


def evaluate(address: int, text: str, registers: Registers, word_at: WordAt) -> None:
    """Apply one instruction to the registers, as far as a switch needs it."""
    del word_at
    name, _, rest = text.partition(" ")
    operands = rest.split("#")[0].split("<")[0].strip().split(",")
    if name in ("bltu", "bgeu") and len(operands) == 3:
        largest, value = registers.constant(operands[0]), registers.number(operands[1])
        fact = None if largest is None or value is None else (value, largest)
        registers.taken, registers.passed = (None, fact) if name == "bltu" else (fact, None)
    elif not _CHANGES_NONE.fullmatch(name):
        known = _result(name, operands[1:], registers, address)
        registers.forget(*(operands[:1] if _CHANGES_ONE.match(name) else []))
        if known is not None:
            registers.put(operands[0], known)


def _result(  # noqa: PLR0911
    name: str, operands: Sequence[str], registers: Registers, address: int
) -> Value | Entry | None:
    """The result of an instruction, None if it does not matter."""
    match name, operands:
        case "li", [number]:
            return Value(int(number, 0) & _WORD)
        case "lui", [number]:
            return Value(int(number, 0) << 12 & _WORD)
        case "auipc", [number]:
            return Value(address + (int(number, 0) << 12) & _WORD)
        case "mv", [source]:
            return registers.number(source)
        case "sll" | "slli", [source, bits] if bits[0].isdigit():
            return registers.scaled(source, int(bits, 0))
        case "add" | "addi", [source, number] if number.lstrip("-").isdigit():
            return registers.plus(source, int(number))
        case "add", [first, second]:
            return registers.sum(first, second)
        case "lw", [place] if parts := _PLACE.match(place):
            start = registers.plus(parts[2], int(parts[1]))
            return Entry(start) if isinstance(start, Value) else None
    return None
