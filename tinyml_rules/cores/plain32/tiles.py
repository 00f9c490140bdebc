"""Four channels of a pixel, whose weights are rows, or for values of 16 bits side by side."""

from __future__ import annotations

from tinyml_rules.cores.block import Products, block_of_one
from tinyml_rules.cores.in_groups import groups_of
from tinyml_rules.cores.plain32.sizes import OF_INT16
from tinyml_rules.cores.tile import Tile
from tinyml_rules.ir.features import Feature

PIXEL = Tile(
    name="",
    template="cores/plain32/fours.j2",
    channels=4,
    pieces=("dot_products", "dot_product", "requantize", "requantize_four"),
    takes_all=True,
)
INT16 = block_of_one(
    4,
    groups_of(4),
    Products(products="products_4_by_1_int16"),
    pays=(OF_INT16.pay,),
    excludes=frozenset((Feature.MUL16S,)),
    value="int16_t",
)
