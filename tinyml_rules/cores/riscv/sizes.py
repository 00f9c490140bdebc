"""From which sizes on blocks of 4 x 4 pay: with fewer, what is around the sums outweighs them.

Measured with single layers, 1x1 ones and windows, of images one pixel wide, and with output
channels that are left over: `./tinyml bench model=layers target=riscv32imc`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ConvSizes:
    """Of CONV_2D: values of an output, unless a field says something else."""

    least_values: int = 8
    least_with_rest: int = 20
    """With output channels that are no multiple of four."""
    least_of_narrow: int = 32
    """Windows of images less than four pixels wide."""
    least_of_column: int = 64
    """Of an image one pixel wide, or with few output channels that are no multiple of four."""
    least_outputs: int = 8
    """Output channels."""
    many_outputs: int = 16
    """Output channels, so many that those left over do not count."""


@dataclass(frozen=True)
class VectorSizes:
    """Of FULLY_CONNECTED."""

    least_values: int = 8
    """Of a vector."""


@dataclass(frozen=True)
class TripleSizes:
    """Of both: three sums in two products."""

    least_values: int = 9
    """Of an output of a pixel; with few outputs, and of images less than four pixels wide."""
    least_of_few: int = 16
    least_of_narrow: int = 32
    least_of_few_narrow: int = 64
    few_outputs: int = 8
    """So many, or fewer."""
    least_outputs: int = 6
    """Of a pixel."""
    least_of_vector: int = 12
    """Values of an output of a vector."""
    least_outputs_of_vector: int = 9
    """Of a vector; eight have as many words."""


CONV_2D = ConvSizes()
FULLY_CONNECTED = VectorSizes()
TRIPLES = TripleSizes()
