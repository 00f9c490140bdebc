"""Twelve outputs of one pixel, as words, which are all that flash loads."""

from __future__ import annotations

from tinyml_rules.cores.flash_words.order import TRIPLES as ORDER
from tinyml_rules.cores.flash_words.sizes import TRIPLES as SIZES
from tinyml_rules.cores.triples import triples
from tinyml_rules.ir.sum_conditions import outputs_from, values_from

TRIPLES = triples(
    12,
    1,
    ORDER,
    pays=(values_from(SIZES.least_values), outputs_from(SIZES.least_outputs)),
    offset=128,
)
