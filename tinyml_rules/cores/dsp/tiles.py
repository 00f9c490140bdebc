"""Four channels of a pixel, for values of 16 bits."""

from __future__ import annotations

from tinyml_rules.cores.block import Products, block_of_one
from tinyml_rules.cores.dsp.order import FOURS
from tinyml_rules.cores.dsp.sizes import OF_INT16
from tinyml_rules.ir.sum_conditions import values_from

INT16 = block_of_one(
    4,
    FOURS,
    Products(products="products_of_fours_int16", has_words=True),
    pays=(values_from(OF_INT16.least_values),),
    value="int16_t",
)
