"""Four channels of a pixel, whose weights are rows, or for values of 16 bits side by side; eight
with weights of four bits."""

from __future__ import annotations

from tinyml_rules.cores.block import Products, block, block_of_one
from tinyml_rules.cores.in_groups import groups_of
from tinyml_rules.cores.plain32.order import GROUP
from tinyml_rules.cores.plain32.order import NIBBLES as ORDER
from tinyml_rules.cores.plain32.sizes import OF_INT16, OF_NIBBLES
from tinyml_rules.cores.tile import Tile
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.sum_conditions import values_from

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
NIBBLES = block_of_one(
    GROUP,
    ORDER,
    Products(products="nibble_products_8_by_1", has_words=True, has_nibbles=True),
    pays=(values_from(OF_NIBBLES.least_values),),
)


def nibbles_of(pixels: int) -> Tile:
    """The same for some pixels at a time."""
    return block(pixels, NIBBLES, f"nibble_products_8_by_{pixels}", pays=NIBBLES.pays)
