"""Eight channels of one pixel: ARMv6-M has no registers for more."""

from __future__ import annotations

from tinyml_rules.cores.block import Products, block, block_of_one
from tinyml_rules.cores.thumb_m0.order import GROUP, UNSIGNED_EIGHTS
from tinyml_rules.cores.thumb_m0.order import TRIPLES as ORDER
from tinyml_rules.cores.thumb_m0.sizes import CORTEX_M, OF_INT16
from tinyml_rules.cores.thumb_m0.sizes import TRIPLES as SIZES
from tinyml_rules.cores.triples import triples
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.sum_conditions import Ask, outputs_from, values_from


def leaves_few(channels: int) -> Ask:
    """Few sums are left over by groups of so many."""
    most = CORTEX_M.most_left
    return Ask(
        lambda sums: sums.outputs % channels <= most or sums.outputs >= 2 * channels,
        f"more than {most} outputs are left over",
    )


_NO_M3 = frozenset((Feature.MULTIPLY_64,))

TRIPLES = triples(
    12,
    1,
    ORDER,
    pays=(values_from(SIZES.least_values), outputs_from(SIZES.least_outputs)),
    excludes=_NO_M3,
)
VECTOR = block_of_one(
    GROUP,
    UNSIGNED_EIGHTS,
    Products(products="products_8_by_1_unsigned", offset="minus_128_times"),
    pays=(values_from(CORTEX_M.least_values), leaves_few(GROUP)),
    excludes=_NO_M3,
)
PIXEL = block(
    1,
    VECTOR,
    "products_8_by_1_unsigned",
    pays=(values_from(CORTEX_M.least_of_pixel), leaves_few(GROUP)),
)
INT16 = block_of_one(
    GROUP,
    UNSIGNED_EIGHTS,
    Products(products="products_8_by_1_unsigned_int16", offset="minus_128_times_int16"),
    pays=(OF_INT16.pay,),
    excludes=VECTOR.excludes,
    value="int16_t",
)
