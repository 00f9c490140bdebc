"""What a statement of inline assembly should declare, and does not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tests.assembly import arm, avr
from tests.assembly.effect import Effect
from tests.assembly.instructions import instructions
from tests.assembly.statements import Statement

_WITH_FLAGS = ("arm",)
"""Architectures whose flags GCC keeps over assembly that does not clobber them."""
NAMES: Mapping[str, Mapping[str, str]] = {
    "arm": arm.NAMES,
    "avr": avr.NAMES,
    "riscv": {},
    "xtensa": {},
}
"""Other names of a register."""
AVR_POINTERS = "xyz"
"""Constraints of one register pair each."""
ALWAYS_ZERO = {("r1", "clr r1"), ("r1", "clr __zero_reg__")}
"""What a register gets again that has the same value outside of assembly."""


def faults(statement: Statement, architecture: str) -> list[str]:
    """What is wrong with it, as text."""
    effects = list(instructions(statement.text, architecture))
    return [
        *_registers(statement, effects, architecture),
        *_memory(statement, effects),
        *_flags(statement, effects, architecture),
        *_stack(statement, effects),
        *_early(statement, effects),
        *_loops(effects),
    ]


def _names(statement: Statement, architecture: str) -> dict[str, str]:
    """The register of an operand that has one of its own; each other operand is one itself."""
    pointers = zip(AVR_POINTERS, "XYZ", strict=True) if architecture == "avr" else ()
    own = dict(pointers)
    return {
        f"%{each.name}": NAMES[architecture].get(each.register, each.register)
        or own.get(each.constraint.strip("=+&"), f"%{each.name}")
        for each in statement.operands
    }


def _registers(statement: Statement, effects: Sequence[Effect], architecture: str) -> Iterator[str]:
    names = _names(statement, architecture)
    its = [_renamed(each, names) for each in effects]
    written = {each for effect in its for each in effect.writes}
    outputs = {names[f"%{each.name}"] for each in statement.outputs if not each.is_memory}
    places = [each.value for each in statement.outputs if each.is_memory]
    stored = {
        f"%{each.name}" for each in statement.operands if each.value.startswith(tuple(places))
    }
    clobbers = {NAMES[architecture].get(each, each) for each in statement.clobbers}
    for each in sorted(written - outputs - stored - clobbers):
        if not _is_kept(each, its):
            yield f"writes {each}, which is no output and no clobber"
    made = {names[f"%{each.name}"] for each in statement.outputs if each.is_result}
    yield from (f"does not write its output {each}" for each in sorted((made & outputs) - written))
    unknown = {each for effect in effects for each in (*effect.writes, *effect.reads)} - set(names)
    yield from (f"{each} is no operand" for each in sorted(unknown) if each[0] == "%")


def _renamed(effect: Effect, names: Mapping[str, str]) -> Effect:
    """With registers in place of the operands that have one."""
    writes, reads = (
        frozenset(names.get(each, each) for each in some) for some in (effect.writes, effect.reads)
    )
    return replace(effect, writes=writes, reads=reads)


_READS_OF_ITS_OWN, _WRITES_OF_ITS_OWN = ("vmrs",), ("vmsr",)
"""Of registers with instructions of their own."""


def _is_kept(register: str, effects: Sequence[Effect]) -> bool:
    """It is stored before all, and at the end loaded again from there."""
    its = [each for each in effects if register in each.writes | each.reads]
    first, last = its[0], [each for each in its if register in each.writes][-1]
    if (register, last.text) in ALWAYS_ZERO:
        return True
    if register in first.writes:
        return False
    is_pushed = first.stack_bytes > 0 and last.stack_bytes < 0
    is_stored = first.stores and last.loads and _offset(first) == _offset(last)
    is_moved = first.text.startswith(_READS_OF_ITS_OWN) and last.text.startswith(_WRITES_OF_ITS_OWN)
    return is_pushed or is_stored or is_moved


def _offset(effect: Effect) -> list[str]:
    """Of an address, whose base may be in another register by then."""
    return re.findall(r"#\d+", effect.text)


def _memory(statement: Statement, effects: Sequence[Effect]) -> Iterator[str]:
    """Loads and stores by address are of memory that the compiler may have in registers."""
    if "memory" in statement.clobbers:
        return
    if any(each.stores for each in effects) and not any(
        each.is_memory for each in statement.outputs
    ):
        yield "stores, and does not clobber memory"
    if any(each.loads for each in effects) and not any(
        each.is_memory for each in statement.operands
    ):
        yield "loads, and does not clobber memory"


def _flags(statement: Statement, effects: Sequence[Effect], architecture: str) -> Iterator[str]:
    if architecture not in _WITH_FLAGS:
        return
    if any(each.sets_flags for each in effects) and "cc" not in statement.clobbers:
        yield "sets flags, which it does not clobber"


def _stack(statement: Statement, effects: Sequence[Effect]) -> Iterator[str]:
    """It ends where it began, and no operand is addressed by the stack pointer in between."""
    memory = {f"%{each.name}" for each in statement.operands if each.is_memory}
    depth = 0
    for each in effects:
        if depth and memory & (each.reads | each.writes):
            yield f"an operand in memory after the stack pointer has moved: {each.text}"
        depth += each.stack_bytes
    if depth:
        yield f"leaves {depth} bytes on the stack"


def _early(statement: Statement, effects: Sequence[Effect]) -> Iterator[str]:
    """An output that is written before the last input is read may not share its register."""
    inputs = {f"%{each.name}" for each in statement.inputs} | {
        f"%{each.name}" for each in statement.outputs if each.is_read
    }
    is_looped = any(each.has_label for each in effects)
    for output in statement.outputs:
        name = f"%{output.name}"
        if output.is_read or "&" in output.constraint or output.register or output.is_memory:
            continue
        first = next((at for at, each in enumerate(effects) if name in each.writes), None)
        if first is None:
            continue
        later = effects if is_looped else effects[first + 1 :]
        if any((inputs - {name}) & each.reads for each in later):
            yield f"{name} is written before all inputs are read, but is not marked by &"


def _loops(effects: Sequence[Effect]) -> Iterator[str]:
    """A loop of DLSTP leaves lanes out in all vector instructions until LETP has ended it."""
    words = [each.text.partition(" ")[0].partition(".")[0] for each in effects]
    if words.count("dlstp") != words.count("letp"):
        yield "begins loops that leave lanes out, and ends not as many"


def without_an_output(statement: Statement) -> Iterator[Statement]:
    """The statement with an output made an input, each in turn."""
    for each in statement.outputs:
        if each.is_memory:
            continue
        others = tuple(other for other in statement.outputs if other != each)
        changed = replace(each, constraint=each.constraint.strip("=+&"))
        yield replace(statement, outputs=others, inputs=(*statement.inputs, changed))


def without_a_clobber(statement: Statement, architecture: str) -> Iterator[Statement]:
    """The statement without a clobber, each in turn, with what names the same register; an operand
    in memory may say the same as `memory`."""
    names = NAMES[architecture]
    by_register: dict[str, list[str]] = {}
    for each in statement.clobbers:
        by_register.setdefault(names.get(each, each), []).append(each)
    if any(each.is_memory for each in statement.operands):
        by_register.pop("memory", None)
    for gone in by_register.values():
        kept = tuple(each for each in statement.clobbers if each not in gone)
        yield replace(statement, clobbers=kept)
