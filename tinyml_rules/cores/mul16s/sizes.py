"""From which sizes on pairs of weights with an offset pay, on Xtensa with MAC16 too.

Measured with single layers on both cores: `./tinyml bench model=layers target=esp8266`, or
`xtensa_lx6`.
"""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.ir.features import Feature


@dataclass(frozen=True)
class BlockSizes:
    """Of CONV_2D: what a block of pixels takes of the stack of a core."""

    feature: Feature
    least: int
    """Values of an output: with fewer, widening takes more than it saves."""
    most_pixels: int
    most_halfwords: int
    """Of widened values; of one pixel there may be more."""
    spare_pixels: int
    """Whose room is taken next to those of a block of several."""
    least_outputs: int
    """Where they are no whole groups, so that weights of 0 fill up the last."""
    least_of_few: int
    """Values of an output, where the outputs are less than a group."""
    least_of_one_left: int
    """The same where they are one more than a group."""
    fills_halves: bool
    """Whether it pays to fill up two outputs that are left where the values are whole groups, of
    which two outputs at a time are made by another kernel."""


@dataclass(frozen=True)
class ConvSizes:
    """Of CONV_2D on any Xtensa: values of an output."""

    least_ragged: int = 9
    """Where they are no multiple of four."""
    least_of_four: int = 64
    """With few outputs."""
    few_outputs: int = 4
    of_column: int = 2
    """How many times as many where there is one pixel at a time."""


@dataclass(frozen=True)
class PartSizes:
    """Of FULLY_CONNECTED: what the stack of a core has room for."""

    feature: Feature
    part: int
    """Values of the input that are widened at a time, a multiple of four, and at most 256."""
    least_of_four: int
    """Inputs, a multiple of four, where there are no more than four outputs."""


@dataclass(frozen=True)
class VectorSizes:
    """Of FULLY_CONNECTED on any Xtensa."""

    outputs: int = 32
    """Sums on the stack, a multiple of four."""
    least_inputs: int = 8
    least_ragged: int = 9
    """Where they are no multiple of four."""


BLOCK = BlockSizes(
    Feature.MUL16S,
    least=16,
    most_pixels=2,
    most_halfwords=256,
    spare_pixels=0,
    least_outputs=3,
    least_of_few=9,
    least_of_one_left=16,
    fills_halves=False,
)
PART = PartSizes(Feature.MUL16S, part=160, least_of_four=128)
CONV_2D = ConvSizes()
FULLY_CONNECTED = VectorSizes()
