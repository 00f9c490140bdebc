"""Four channels of two pixels: eight sums, which leave registers for what is multiplied."""

from __future__ import annotations

from tinyml_rules.cores.block import Products, block, block_of_one
from tinyml_rules.cores.thumb_m0.sizes import CORTEX_M, OF_INT16
from tinyml_rules.cores.thumb_m0.tiles import leaves_few
from tinyml_rules.cores.thumb_m3.order import FOURS
from tinyml_rules.cores.thumb_m3.order import TRIPLES as ORDER
from tinyml_rules.cores.triples import triples
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.sum_conditions import values_from

_PAYS = (values_from(CORTEX_M.least_values), leaves_few(4))

_NO_DSP = frozenset((Feature.DSP, Feature.MVE))

TRIPLES = triples(6, 2, ORDER, pays=_PAYS, excludes=_NO_DSP)
VECTOR = block_of_one(
    4,
    FOURS,
    Products(products="products_4_by_1"),
    pays=_PAYS,
    excludes=_NO_DSP,
)
PIXELS = block(2, VECTOR, "products_4_by_2", pays=_PAYS)
INT16 = block_of_one(
    4,
    FOURS,
    Products(products="products_4_by_1_int16"),
    pays=(OF_INT16.pay,),
    excludes=VECTOR.excludes,
    value="int16_t",
)
