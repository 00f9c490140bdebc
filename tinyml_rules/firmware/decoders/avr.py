"""AVR as far as avr-gcc and libgcc use it."""

from __future__ import annotations

from tinyml_rules.firmware.decoders.effect import Effect, Flow, branch_target

RETURN_ADDRESS_BYTES = 2

_SKIPS = ("cpse", "sbrc", "sbrs", "sbic", "sbis")
_STACK_POINTER = ("0x3d", "0x3e")


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
        case "out" if operands.startswith(_STACK_POINTER):
            return Effect(moves_stack_unknown=True)
    if mnemonic in _SKIPS:
        return Effect(Flow.SKIP)
    if mnemonic.startswith("br") and mnemonic != "break":
        return Effect(Flow.BRANCH, target)
    return Effect()
