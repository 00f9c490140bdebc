"""Reads the output of `objdump -d`: where each instruction goes next and what it pushes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module

from tinyml_rules.firmware.decoders.effect import Effect, Flow

__all__ = ["Code", "Effect", "Flow", "Instruction", "read_disassembly"]


@dataclass(frozen=True)
class Instruction:
    """One instruction; `next_address` is that of the next one in memory."""

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
    """Bytes that a call instruction itself pushes."""
    machine: str = ""
    """The member of the architecture, as objdump calls it."""


_LINE = re.compile(r"^\s*([0-9a-f]+): *\t(\S+)\s*(.*)$")
_LABEL = re.compile(r"^([0-9a-f]+) <(.+)>:$")
_DATA = re.compile(r"\.(?![24]byte)")
"""Data between the code.  `.4byte` is an instruction of RISC-V that objdump does not know."""
_MACHINE = re.compile(r"^architecture: (\S+), flags", re.M)

_DECODERS = {"avr:6": "avr6"}
"""For members of an architecture that push in their own way: their machine's name -> decoder."""


def read_disassembly(
    text: str,
    *,
    architecture: str,
    word_at: Callable[[int], int | None] = lambda _: None,
    is_table: Callable[[int], bool] = lambda _: False,
) -> Code:
    """The program in `text`, printed by `objdump -d --no-show-raw-insn`, GNU's or LLVM's, best with
    `-f`: the machine that it names may have a decoder of its own.

    `word_at`: the four bytes that the program holds at an address, None where it has none;
    `is_table`: whether the address has a constant, whose bytes objdump shows as text.
    """
    machine = _MACHINE.search(text)
    name = _DECODERS.get(machine[1], architecture) if machine else architecture
    decoder = import_module(f"tinyml_rules.firmware.decoders.{name}")
    lines: list[tuple[int, str, str]] = []
    symbols: dict[int, tuple[str, ...]] = {}
    for line in text.splitlines():
        if label := _LABEL.match(line):
            address = int(label[1], 16)
            symbols[address] = (*symbols.get(address, ()), label[2])
        elif (match := _LINE.match(line)) and not _DATA.match(match[2]):
            address = int(match[1], 16)
            if not is_table(address):
                lines.append((address, match[2], match[3]))
    if hasattr(decoder, "resolve"):
        lines = decoder.resolve(lines, word_at)
    instructions = {}
    for index, (address, mnemonic, operands) in enumerate(lines):
        is_last = index + 1 == len(lines)
        next_address = address + 2 if is_last else lines[index + 1][0]
        effect = decoder.decode(mnemonic, operands, next_address)
        text_line = f"{mnemonic} {operands}".strip()
        instructions[address] = Instruction(address, next_address, text_line, effect)
    machine_name = machine[1] if machine else ""
    return Code(instructions, symbols, decoder.RETURN_ADDRESS_BYTES, machine_name)
