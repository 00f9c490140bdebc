"""One module an architecture: what each instruction does, from objdump's text.

A module has `decode(mnemonic, operands, next_address) -> Effect` and `RETURN_ADDRESS_BYTES`, which
a call instruction itself pushes.  It may have `resolve(lines, word_at) -> lines`, which rewrites
what several instructions do together as what one does that says it plainly: a call by an address
from memory that never changes as a call to that address.  `evaluate(address, text, registers,
word_at)` says of values, and `jump_register(text)` of jumps to a register, as much as is needed to
find the table of a switch.  Whatever moves the stack pointer in a way that is not understood is
reported as such, never guessed.
"""
