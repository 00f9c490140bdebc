"""Four channels of a pixel, sixteen values at a time, or eight of 16 bits."""

from __future__ import annotations

from tinyml_rules.cores.block import Products, block_of_one
from tinyml_rules.cores.mve.order import GROUP, VECTORS
from tinyml_rules.cores.mve.sizes import OF_INT16
from tinyml_rules.cores.tile import Tile
from tinyml_rules.ir.sum_conditions import outputs_from

_PIECES = ("products_of_four", "dot_product")

PIXEL = Tile(
    name="vectors",
    template="cores/mve/vectors.j2",
    channels=GROUP,
    pieces=(*_PIECES, "requantize", "requantize_vector"),
    order=VECTORS,
    takes_all=True,
    rows_template="cores/mve/vector_rows.j2",
    row_pieces=(*_PIECES, "copy"),
    can=(outputs_from(GROUP),),
)
INT16 = block_of_one(
    GROUP, None, Products(products="products_of_rows_int16"), pays=(OF_INT16.pay,), value="int16_t"
)
