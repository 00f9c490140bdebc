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
    """Of weights of four bits, eight outputs at a time.

    Measured on Cortex-M0 and RISC-V with `conv((1, 5, 5, values), (1, 1), outputs=8, bits=4)` of
    `ops/conv_2d/cases.py`: `python -m tinyml_rules run LAYER --target riscv32imc`, or `nrf51`."""

    least_values: int = 6
    """Of an output."""


OF_NIBBLES = NibbleSizes()
