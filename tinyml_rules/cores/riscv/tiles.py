"""Four channels of four pixels: sixteen sums, and eight registers for what is multiplied."""

from __future__ import annotations

from tinyml_rules.cores.block import Products, block, block_of_one
from tinyml_rules.cores.riscv.order import FOURS, TRIPLES_OF_PIXELS, TRIPLES_OF_VECTOR
from tinyml_rules.cores.riscv.sizes import CONV_2D, FULLY_CONNECTED, TRIPLES
from tinyml_rules.cores.thumb_m0.tiles import leaves_few
from tinyml_rules.cores.triples import triples
from tinyml_rules.ir.sum_conditions import Ask, outputs_from, values_from
from tinyml_rules.ir.sums import Sums


def _is_worth(sums: Sums) -> bool:
    """For pixels of an image."""
    least, width = CONV_2D.least_values, sums.across.outputs
    if sums.window is None and width == 1:
        least = CONV_2D.least_of_column
    elif sums.outputs % 4:
        is_rest_small = sums.outputs >= CONV_2D.many_outputs
        least = CONV_2D.least_with_rest if is_rest_small else CONV_2D.least_of_column
    elif sums.window is not None and width < 4:
        least = CONV_2D.least_of_narrow
    return sums.values >= least


def _is_worth_triples(sums: Sums) -> bool:
    """The same."""
    is_few, is_narrow = sums.outputs <= TRIPLES.few_outputs, sums.across.outputs < 4
    if is_narrow:
        least = TRIPLES.least_of_few_narrow if is_few else TRIPLES.least_of_narrow
    else:
        least = TRIPLES.least_of_few if is_few else TRIPLES.least_values
    return sums.values >= least


PIXEL_TRIPLES = triples(
    6,
    4,
    TRIPLES_OF_PIXELS,
    pays=(
        Ask(_is_worth_triples, "too few values behind an output"),
        outputs_from(TRIPLES.least_outputs),
    ),
    two_of_one="word_sums_of_two_by_1",
)
VECTOR_TRIPLES = triples(
    12,
    1,
    TRIPLES_OF_VECTOR,
    pays=(values_from(TRIPLES.least_of_vector), outputs_from(TRIPLES.least_outputs_of_vector)),
)
VECTOR = block_of_one(
    4,
    FOURS,
    Products(products="products_4_by_1", more_of_one="products_8_by_1"),
    pays=(values_from(FULLY_CONNECTED.least_values), leaves_few(4)),
)
PIXELS = block(
    4,
    VECTOR,
    "products_4_by_4",
    pays=(
        Ask(_is_worth, "too few values behind an output"),
        outputs_from(CONV_2D.least_outputs),
    ),
)
