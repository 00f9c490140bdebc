"""From which sizes on three sums in two products pay, in estimated cycles.

Measured with single layers: `./tinyml bench model=layers target=lm3s6965`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TripleSizes:
    """Values of an output, unless a field says something else."""

    least_values: int = 12
    """Of a pixel, with outputs that are no multiple of four."""
    least_of_fours: int = 32
    """With outputs that are one."""
    few_outputs: int = 8
    """So many of these, or fewer, take more values."""
    least_of_few: int = 48
    least_of_column: int = 32
    """Of an image one pixel wide."""
    least_outputs: int = 5
    """Of a pixel; with fewer, none is in a triple."""
    least_of_vector: int = 64
    least_outputs_of_vector: int = 9


TRIPLES = TripleSizes()
