"""What a core brings for weighted sums: one C function, and the order of weights that it reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tinyml_rules.cores.order import Order
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.sum_conditions import BYTES, Ask
from tinyml_rules.ir.sums import Sums
from tinyml_rules.ir.words import ONLY, Variant


@dataclass(frozen=True, eq=False)
class Tile:
    """The C function

        int8_t *<kernel>_channels(params, const int8_t *values, int count, int pixels,
            int8_t *output)

    which makes all channels of so many output pixels, each from `count` values, which are pixel
    after pixel, and returns where the next pixel goes.  Operators call it for pixels, windows and
    vectors: `ops/_weighted/frame.py`.
    """

    name: str
    """End of the names of its kernels, or empty."""
    template: str
    """The file with the function, from the package's folder on."""
    channels: int
    """Sums of a pixel that it makes at a time; the weights of those that are left are rows, unless
    the order says how they are."""
    pieces: Sequence[str]
    """Of C, that it calls; empty names are none."""
    order: Order | None = None
    """Of the weights; None for that of the matrix."""
    members: Callable[[Sums], Mapping[str, Any]] | None = None
    """What the kernel's struct has in place of members that its operator has, or in addition, by
    name; the latter are of type `int`."""
    value: str = "int8_t"
    """C type of the values, and of outputs."""
    dot_product: str = "dot_product"
    """The piece for sums that are left."""
    pixels: int = 1
    """How many pixels it makes at a time: it is called for so many, or for one."""
    copies_unit: bool = False
    """As Kernel has it."""
    takes_all: bool = False
    """Whether it may be called for any number of pixels."""
    rows_template: str = ""
    """The file with `<kernel>_row`, which adds a piece of a vector to its sums."""
    row_pieces: Sequence[str] = ()
    """Of C, that this one calls."""
    words: Variant = ONLY
    """Of both files."""
    excludes: frozenset[Feature] = frozenset()
    """Features of processors for which there is something better."""
    is_for_speed: bool = False
    weights: Ask = BYTES
    """Of what size: BYTES or NIBBLES."""
    can: tuple[Ask, ...] = ()
    pays: tuple[Ask, ...] = ()
    """As Kernel has them."""
