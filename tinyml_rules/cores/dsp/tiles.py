"""Four channels of a pixel, for values of 16 bits."""

from __future__ import annotations

from tinyml_rules.cores.block import Products, block_of_one
from tinyml_rules.cores.dsp.order import FOURS
from tinyml_rules.cores.dsp.sizes import OF_INT16

INT16 = block_of_one(
    4,
    FOURS,
    Products(products="products_of_fours_int16", has_words=True),
    pays=(OF_INT16.pay,),
    value="int16_t",
)
