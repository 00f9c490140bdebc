"""AVR as far as avr-gcc and libgcc use it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tinyml_rules.firmware.decoders.effect import Effect, Flow, branch_target

RETURN_ADDRESS_BYTES = 2

_SKIPS = ("cpse", "sbrc", "sbrs", "sbic", "sbis")
_STACK_POINTER = ("0x3d", "0x3e")
_STATUS = {"out": "0x3f, ", "sts": "0x005F, "}
_SETS_BITS = ("ori", "sbr", "ldi", "bld")
_LOOK_BACK = 8


def decode(mnemonic: str, operands: str, next_address: int) -> Effect:  # noqa: PLR0911
    target = branch_target(operands)
    match mnemonic:
        case "push":
            return Effect(push_bytes=1)
        case "pop":
            return Effect(push_bytes=-1)
        case "call" | "rcall" if target == next_address:
            return Effect(push_bytes=RETURN_ADDRESS_BYTES)  # the shortest way to make room
        case "call" | "rcall":
            return Effect(Flow.CALL, target)
        case "jmp" | "rjmp":
            return Effect(Flow.JUMP, target)
        case "ret" | "reti":
            return Effect(Flow.RETURN)
        case "icall" | "eicall" | "ijmp" | "eijmp":
            return Effect(Flow.INDIRECT)
        case "sei":
            return Effect(lets_interrupts_in=True)
        case "out" if operands.startswith(_STACK_POINTER):
            return Effect(moves_stack_unknown=True)
    if mnemonic in _SKIPS:
        return Effect(Flow.SKIP)
    if mnemonic.startswith("br") and mnemonic != "break":
        return Effect(Flow.BRANCH, target)
    return Effect()


def resolve(
    lines: Sequence[tuple[int, str, str]], word_at: Callable[[int], int | None]
) -> list[tuple[int, str, str]]:
    """A status register that gets bits set by an instruction just before: as `sei`.  What was read
    from it before, and is put back, lets no interrupt in that was not let in then."""
    del word_at
    resolved = list(lines)
    for index, (address, mnemonic, operands) in enumerate(lines):
        place = _STATUS.get(mnemonic)
        if place is None or not operands.startswith(place):
            continue
        register = operands.removeprefix(place).split()[0]
        before = reversed(lines[max(index - _LOOK_BACK, 0) : index])
        source = next((each[1] for each in before if each[2].split(",")[0] == register), "")
        if source in _SETS_BITS:
            resolved[index] = (address, "sei", "")
    return resolved
