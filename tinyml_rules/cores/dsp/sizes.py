"""From which sizes on pairs of weights pay: with fewer, what is around the sums outweighs them.

Measured on Cortex-M4 with single layers, of windows and 1x1 ones, of images one pixel wide, and of
channels that are no multiple of four: `./tinyml bench model=layers target=nrf52840`.
"""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.cores.short_values import ShortSizes


@dataclass(frozen=True)
class ConvSizes:
    """Of CONV_2D: values of an output, unless a field says something else."""

    least_channels_of_two: int = 8
    """Outputs: with fewer, what widening takes outweighs what it saves."""
    least_channels_of_one: int = 8
    """Outputs: with fewer, what tells assembly of the layer takes more than it saves."""
    least_of_window: int = 9
    least_of_two_windows: int = 16
    most_of_zeros: int = 128
    """Products with weights of 0: more outweigh what copying values first takes."""
    least_of_pixel: int = 12
    """Of a 1x1 window."""
    least_of_two_pixels: int = 8
    least_of_odd_pixel: int = 24
    """Two pixels of input channels that are no multiple of four."""
    least_of_column: int = 24
    """Of an image one pixel wide."""
    least_with_tail: int = 129
    """One pixel of input channels that are no multiple of four."""
    least_with_rest: int = 64
    """With output channels that are no multiple of four."""


CONV_2D = ConvSizes()


@dataclass(frozen=True)
class VectorSizes:
    """Of FULLY_CONNECTED."""

    least_inputs: int = 8
    least_odd_inputs: int = 20
    """Where they are no multiple of four."""
    least_products: int = 96
    """Of a vector: fewer are not worth the code."""
    least_outputs: int = 8
    """With fewer, what tells assembly of the layer takes more than it saves."""
    least_outputs_of_widened: int = 24
    """The same, where the vector is widened."""
    most_widened: int = 192
    """Values of a vector: each takes two bytes of stack."""


FULLY_CONNECTED = VectorSizes()

OF_INT16 = ShortSizes(
    least_values=17, least_with_rest=32, least_of_window=9, least_of_window_with_rest=17
)


@dataclass(frozen=True)
class NibbleSizes:
    """Of both, with weights of four bits.

    Measured with `conv((1, 5, 5, values), (1, 1), outputs=8, bits=4)` of `ops/conv_2d/cases.py`:
    `python -m tinyml_rules run LAYER --target nrf52840`."""

    least_values: int = 8
    """Of an output."""


NIBBLES = NibbleSizes()


@dataclass(frozen=True)
class WinogradSizes:
    """Of CONV_2D with a window of 3x3 in tiles of 2x2 outputs."""

    most_made: float = 1.34
    """Outputs of whole tiles and groups for each one that there is: with more, two pixels and two
    channels in a number take less."""
    most_made_of_few: float = 1.1
    few_channels: int = 15
    """The same, up to so many channels."""
    most_made_of_many: float = 1.6
    many_channels: int = 32
    """From so many on."""


WINOGRAD = WinogradSizes()
