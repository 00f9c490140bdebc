"""From which sizes on three sums in two products pay.

Measured with single layers: `./tinyml bench model=layers target=esp8266`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TripleSizes:
    """Of CONV_2D and FULLY_CONNECTED."""

    least_values: int = 6
    """Of an output."""
    least_outputs: int = 5
    """With fewer, none is in a triple."""


TRIPLES = TripleSizes()
