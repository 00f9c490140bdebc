"""From which sizes on four channels at a time pay.

Measured on RISC-V: `./tinyml bench model=layers target=riscv32imc`.
"""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.cores.short_values import ShortSizes

OF_INT16 = ShortSizes(
    least_values=17, least_with_rest=17, least_of_window=20, least_of_window_with_rest=64
)


@dataclass(frozen=True)
class NibbleSizes:
    """Of weights of four bits, eight outputs at a time."""

    least_values: int = 8
    """Of an output."""


OF_NIBBLES = NibbleSizes()
