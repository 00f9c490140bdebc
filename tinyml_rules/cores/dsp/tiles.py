"""Four channels of a pixel, for values of 16 bits, and with weights of four bits, of two, too."""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.cores.block import Products, block_of_one
from tinyml_rules.cores.dsp.order import BOUNDED_FOURTHS, FOURS, GROUP
from tinyml_rules.cores.dsp.order import NIBBLES as ORDER
from tinyml_rules.cores.dsp.sizes import NIBBLES as SIZES
from tinyml_rules.cores.dsp.sizes import OF_INT16
from tinyml_rules.cores.tile import Tile
from tinyml_rules.ir.sum_conditions import NIBBLES, outputs_from, values_from, values_up_to

INT16 = block_of_one(
    4,
    FOURS,
    Products(products="products_of_fours_int16", has_words=True),
    pays=(OF_INT16.pay,),
    value="int16_t",
)
_MOST_VALUES = 1024
"""Of an output: those of two pixels are 4 kB of stack.  So many are also bounded where 4095 is next
to each."""

NIBBLES_OF_VECTOR = Tile(
    name="nibbles_4_by_1",
    template="cores/dsp/nibbles.j2",
    channels=GROUP,
    pieces=("nibble_channels", "nibble_values", "copy", "dot_product", "requantize"),
    order=ORDER,
    copies_unit=True,
    rows_template="cores/dsp/nibble_rows.j2",
    row_pieces=("dot_product",),
    weights=NIBBLES,
    can=(outputs_from(GROUP), values_up_to(_MOST_VALUES), BOUNDED_FOURTHS),
    pays=(values_from(SIZES.least_values),),
)
NIBBLES_OF_PIXELS = replace(
    NIBBLES_OF_VECTOR,
    name="nibbles_4_by_2",
    pixels=2,
    pieces=(*NIBBLES_OF_VECTOR.pieces, "nibble_channels_of_two", "nibble_values_of_two"),
)
