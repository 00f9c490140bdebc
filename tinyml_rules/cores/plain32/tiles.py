"""Four channels of a pixel, whose weights are rows."""

from __future__ import annotations

from tinyml_rules.cores.tile import Tile

PIXEL = Tile(
    name="",
    template="cores/plain32/fours.j2",
    channels=4,
    pieces=("dot_products", "dot_product", "requantize", "requantize_four"),
    takes_all=True,
)
