"""From which sizes on pairs and fours of unsigned weights pay, and up to which the stack has room.

Measured with single layers: `./tinyml bench model=layers target=atmega1284p`, or `atmega328`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ConvSizes:
    """Of CONV_2D, in pairs of channels; measured on the ATmega1284P."""

    least_channels: int = 2
    """Outputs: with one, half of a pair is wasted."""
    most_values: int = 128
    """Of an output."""


CONV_2D = ConvSizes()


@dataclass(frozen=True)
class PairSizes:
    """Of FULLY_CONNECTED, in pairs of outputs; measured on the ATmega328."""

    least_outputs: int = 8
    """With fewer, what is around the sums outweighs them."""
    most_inputs: int = 128
    """Of a vector, which is on the stack."""


FULLY_CONNECTED_PAIRS = PairSizes()


@dataclass(frozen=True)
class FourSizes:
    """The same in fours."""

    least_outputs: int = 6
    many_outputs: int = 8
    few_inputs: int = 48
    """With more, fewer outputs do not outweigh the copy of the vector."""
    most_inputs: int = 128
    """Of a vector, which is on the stack."""
    inputs_an_output: int = 6
    """So many sums in vain does an output outweigh."""


FULLY_CONNECTED_FOURS = FourSizes()
