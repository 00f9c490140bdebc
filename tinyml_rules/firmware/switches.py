"""Finds the targets of switches: read from the table in the image, not guessed.

A compiler turns a switch into a comparison, a load from a table, and a jump to the loaded address.
A jump through a pointer looks the same except for the table, so the table decides: the comparison
bounds its length, and every entry has to be an instruction of the same function.  Otherwise it
remains an indirect jump.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from types import ModuleType

from tinyml_rules.firmware.decoders.registers import Registers
from tinyml_rules.firmware.disassembly import Code, Flow, Instruction
from tinyml_rules.firmware.loaded import Loaded

Cases = Mapping[int, tuple[int, ...]]
"""The targets of each jump of a switch, by its address."""
Ways = Mapping[int | None, int]
"""Number of instructions of the program that jump to each address."""

_SWITCH_BYTES = 4
"""Bytes of an instruction with a table of its own; only ARM has such."""
_BRANCHES = (Flow.BRANCH, Flow.JUMP)
_ENDS = (Flow.JUMP, Flow.RETURN, Flow.INDIRECT, Flow.SWITCH)


def with_switches(code: Code, loaded: Loaded, *, architecture: str) -> Code:
    """The same program; instructions that jump through a table have its entries as `cases`."""
    decoder = import_module(f"tinyml_rules.firmware.decoders.{architecture}")
    instructions = dict(code.instructions)
    ways = Counter(each.effect.target for each in instructions.values())
    for body in _bodies(code):
        inline = _inline(body, loaded)
        cases = _by_register(body, decoder, loaded, ways, inline)
        for address, found in {**inline, **cases}.items():
            effect = instructions[address].effect
            flow = Flow.SWITCH if effect.flow is Flow.INDIRECT else effect.flow
            effect = replace(effect, flow=flow, cases=found)
            instructions[address] = replace(instructions[address], effect=effect)
    return replace(code, instructions=instructions)


def _bodies(code: Code) -> Iterator[Sequence[Instruction]]:
    """Functions that have a switch, or may have one."""
    body: list[Instruction] = []
    for address in sorted(code.instructions):
        if address in code.symbols:
            yield from [body] if any(map(_may_switch, body)) else []
            body = []
        body.append(code.instructions[address])
    yield from [body] if any(map(_may_switch, body)) else []


def _may_switch(instruction: Instruction) -> bool:
    effect = instruction.effect
    return effect.flow is Flow.INDIRECT or effect.table is not None


def _inline(body: Sequence[Instruction], loaded: Loaded) -> Cases:
    """Switches whose table is between the instruction and the next one."""
    found = {}
    inside = {each.address for each in body}
    for each in body:
        table = each.effect.table
        if table is None or each.next_address not in inside:
            continue
        size = table.entry_bytes
        start = each.address + _SWITCH_BYTES
        start += -start % size
        entries = [
            loaded.constant_at(place, size, is_signed=table.is_signed)
            for place in range(start, each.next_address - size + 1, size)
        ]
        if entries and entries[-1] == 0:  # fills the table up to the next instruction
            entries.pop()
        targets = [start + entry * table.factor for entry in entries if entry is not None]
        if len(targets) == len(entries) and inside.issuperset(targets):
            found[each.address] = tuple(dict.fromkeys(targets))
    return found


def _by_register(
    body: Sequence[Instruction], decoder: ModuleType, loaded: Loaded, ways: Ways, inline: Cases
) -> Cases:
    """Switches that load an address and jump to it.

    Registers are unknown at the targets of a switch, and one of these may be in the path by which
    another switch was found: so the search is repeated until nothing changes.
    """
    entered = {target for targets in inline.values() for target in targets}
    if not hasattr(decoder, "evaluate"):
        return {}
    inside = {each.address for each in body[1:]}
    while True:
        found = {
            address: targets
            for address, targets in _walk(body, decoder, loaded, ways, entered)
            if targets and inside.issuperset(targets)
        }
        new = {target for targets in found.values() for target in targets} - entered
        if not new:
            return found
        entered |= new


def _walk(
    body: Sequence[Instruction],
    decoder: ModuleType,
    loaded: Loaded,
    ways: Ways,
    entered: set[int],
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Every jump to a register, with the entries of its table; none if it is not known."""
    inside = {each.address for each in body[1:]}
    at_target: dict[int | None, Registers] = {}
    registers: Registers | None = None
    for each in body:
        effect = each.effect
        if each.address in ways or each.address in entered:
            is_alone = registers is None and ways[each.address] == 1
            kept = at_target.get(each.address) if each.address not in entered else None
            registers = kept if is_alone else None
        registers = registers or Registers()
        if effect.flow is Flow.INDIRECT:
            name = decoder.jump_register(each.text)
            yield each.address, registers.targets(name, loaded.constant_at) if name else ()
        decoder.evaluate(each.address, each.text, registers, loaded.constant_at)
        if effect.flow in _BRANCHES:
            at_target[effect.target] = registers.copy()
            at_target[effect.target].limit(registers.taken)
        if effect.flow is Flow.BRANCH:
            registers.limit(registers.passed)
        registers.taken = registers.passed = None
        # ARMv6-M calls a place inside the same function where a jump would not reach so far.
        is_far_jump = effect.flow is Flow.CALL and effect.target in inside
        registers = None if effect.flow in _ENDS or is_far_jump else registers
