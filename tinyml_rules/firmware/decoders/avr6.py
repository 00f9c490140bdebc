"""AVR with more than 128 kB of flash: its program counter, so a return address, has three bytes."""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.firmware.decoders import avr
from tinyml_rules.firmware.decoders.effect import Effect

RETURN_ADDRESS_BYTES = 3

resolve = avr.resolve


def decode(mnemonic: str, operands: str, next_address: int) -> Effect:
    effect = avr.decode(mnemonic, operands, next_address)
    if mnemonic in ("call", "rcall") and effect.push_bytes:
        return replace(effect, push_bytes=RETURN_ADDRESS_BYTES)
    return effect
