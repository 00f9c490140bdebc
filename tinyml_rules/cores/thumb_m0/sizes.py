"""From which sizes on groups of channels pay.

Measured with single layers on Cortex-M0 and M3: `./tinyml bench model=layers target=nrf51`, or
`lm3s6965`.
"""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.cores.short_values import ShortSizes


@dataclass(frozen=True)
class BlockSizes:
    """Of CONV_2D and FULLY_CONNECTED, on Cortex-M3 too."""

    least_values: int = 8
    """Of an output: with fewer, what is around the sums outweighs them."""
    least_of_pixel: int = 9
    """The same of a pixel, on Cortex-M0."""
    most_left: int = 3
    """Outputs that are left for sums of their own: more of them, four at a time, are faster by
    another kernel."""


@dataclass(frozen=True)
class TripleSizes:
    """Of both, on Cortex-M0: three sums in two products."""

    least_values: int = 9
    """Of an output."""
    least_outputs: int = 5
    """With fewer, none is in a triple."""


CORTEX_M = BlockSizes()
TRIPLES = TripleSizes()

OF_INT16 = ShortSizes(
    least_values=17, least_with_rest=17, least_of_window=9, least_of_window_with_rest=36
)
"""On Cortex-M3 too."""
