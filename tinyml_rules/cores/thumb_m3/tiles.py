"""Four channels of two pixels: eight sums, which leave registers for what is multiplied."""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.cores.block import Products, block, block_of_one
from tinyml_rules.cores.thumb_m0.sizes import CORTEX_M, OF_INT16
from tinyml_rules.cores.thumb_m0.tiles import leaves_few
from tinyml_rules.cores.thumb_m3.order import FOURS
from tinyml_rules.cores.thumb_m3.order import TRIPLES as ORDER
from tinyml_rules.cores.thumb_m3.sizes import TRIPLES as SIZES
from tinyml_rules.cores.triples import triples
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.sum_conditions import Ask, outputs_from, values_from
from tinyml_rules.ir.sums import Sums

_PAYS = (values_from(CORTEX_M.least_values), leaves_few(4))

_NO_DSP = frozenset((Feature.DSP, Feature.MVE))


def _is_worth_triples(sums: Sums) -> bool:
    """For pixels of an image."""
    least = SIZES.least_values
    if sums.outputs % 4 == 0:
        is_few = sums.outputs <= SIZES.few_outputs
        least = SIZES.least_of_few if is_few else SIZES.least_of_fours
    if sums.across.outputs == 1:
        least = max(least, SIZES.least_of_column)
    return sums.values >= least


PIXEL_TRIPLES = triples(
    6,
    2,
    ORDER,
    pays=(
        Ask(_is_worth_triples, "too few values behind an output"),
        outputs_from(SIZES.least_outputs),
    ),
    excludes=_NO_DSP,
)
VECTOR_TRIPLES = replace(
    PIXEL_TRIPLES,
    pays=(values_from(SIZES.least_of_vector), outputs_from(SIZES.least_outputs_of_vector)),
)
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
