"""One module per architecture: the effect of each instruction, from objdump's text.

A module has `decode(mnemonic, operands, next_address) -> Effect` and `RETURN_ADDRESS_BYTES`, which
a call instruction itself pushes.  It may have `resolve(lines, word_at) -> lines`, which replaces
several instructions by one with the same effect: a call through an address in constant memory
becomes a call to that address.  `evaluate(address, text, registers, word_at)` evaluates registers,
and `jump_register(text)` recognises jumps to a register, as far as is needed to find the table of a
switch.  A change of the stack pointer that is not understood is reported, never guessed.
"""
