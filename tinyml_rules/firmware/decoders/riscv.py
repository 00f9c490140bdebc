"""32-bit RISC-V, compressed instructions included, as far as GCC and libgcc use it.

objdump prints a compressed instruction like the plain one that it stands for, and behind the second
of a pair (`auipc`, then `jalr` or `jr`) where the two go.
"""

from __future__ import annotations

import re

from tinyml_rules.firmware.decoders.effect import Effect, Flow, branch_target

RETURN_ADDRESS_BYTES = 0

_BRANCH = re.compile(r"b(?:eq|ne|lt|ge|gt|le)[uz]?")
_PAIR = re.compile(r"(?:-?\d+\((?:ra|t1)\)|ra) +#")
"""The second of a pair: by convention a call takes ra, a tail call t1.  A pointer is never in ra, and
with t1 the offset is zero."""
_CONSTANT = re.compile(r"sp,sp,(-?\d+)$")


def decode(mnemonic: str, operands: str, next_address: int) -> Effect:
    del next_address  # only AVR makes room by calling the next instruction
    return _branch(mnemonic, operands) or _stack(mnemonic, operands)


def _branch(mnemonic: str, operands: str) -> Effect | None:
    target = branch_target(operands)
    match mnemonic:
        case "ret" | "mret":
            return Effect(Flow.RETURN)
        case "j":
            return Effect(Flow.JUMP, target)
        case "jal" if re.match(r"ra,|[0-9a-f]+ ", operands):
            return Effect(Flow.CALL, target)
        case "jalr" if _PAIR.match(operands):
            return Effect(Flow.CALL, target)
        case "jr" if _PAIR.match(operands):
            return Effect(Flow.JUMP, target)
        case "jal" | "jalr" | "jr":  # of a pointer, or with another register for the return address
            return Effect(Flow.INDIRECT)
    return Effect(Flow.BRANCH, target) if _BRANCH.fullmatch(mnemonic) else None


def _stack(mnemonic: str, operands: str) -> Effect:
    """An immediate is added to the stack pointer, or what is done with it is not understood."""
    if mnemonic in ("add", "addi") and (constant := _CONSTANT.match(operands)):
        return Effect(push_bytes=-int(constant[1]))
    is_result = operands.startswith("sp,") and mnemonic not in ("sw", "sh", "sb")
    return Effect(moves_stack_unknown=is_result)
