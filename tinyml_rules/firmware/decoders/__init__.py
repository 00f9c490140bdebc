"""One module an architecture: what each instruction does, from objdump's text.

A module has `decode(mnemonic, operands, next_address) -> Effect` and `RETURN_ADDRESS_BYTES`, which
a call instruction itself pushes.  Whatever moves the stack pointer in a way that is not understood
is reported as such, never guessed.
"""
