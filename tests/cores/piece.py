"""A piece of C that sums products, as the tests call it, and how many values it takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[Any]

SHORT = range(1, 41)
"""Values of a pixel: around every unrolling, of four and eight, and every vector of sixteen."""
LONG = (248, 255, 256, 257, 263, 264, 511, 512, 513, 767, 768, 769, 770)
"""Around 256 and 512: so many products are summed in three bytes, or with 8 bits below them."""
LONG_OF_SHORT = range(252, 256)
"""Of values of 16 bits: the most whose sum stays below 2^30 in size, as a bias does."""


def as_they_are(matrix: Numbers) -> Numbers:
    """Row after row."""
    return matrix.astype(np.int8)


@dataclass(frozen=True)
class Piece:
    """How a piece, which may be that of several cores, is called with `weights`, `input`, `count`,
    `bias` and `more`, with `out`, which has the biases, for its sums."""

    name: str
    call: str
    outputs: int = 1
    pixels: int = 1
    cores: frozenset[str] = frozenset()
    """Those that have it; empty: all."""
    pack: Callable[[Numbers], Numbers] = as_they_are
    pieces: tuple[str, ...] = ()
    """Others that are called."""
    counts: tuple[int, ...] = tuple(SHORT)
    more: int = 0
    word_of_weights: bool = False
    """Whether its weights have to be at the address of a word."""
    least: int = -128
    """Of a weight: this, and what is above its negative by one less."""
    fits: Callable[[Numbers], bool] = lambda _: True
    of_its_own: bool = False
    """Each output has values of its own, side by side with those of the others."""
    value: str = "int8"
    """Type of the values."""
    met: tuple[int, ...] = ()
    """Values that each weight is next to; empty: all of int8, or those of int16 around the ends of
    bytes."""
    in_ram: bool = False
    """The weights are next to the values."""
    biased: Callable[[Numbers, Numbers], Numbers] = lambda _weights, bias: bias
    """The biases that it takes, from the weights and those that are meant."""


def cores(*names: str) -> frozenset[str]:
    """Some of them."""
    return frozenset(names)
