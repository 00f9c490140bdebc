"""Weights of four outputs side by side, so that the sums of all four stay in registers; words of
six outputs, or of twelve, three of which take two.
"""

from __future__ import annotations

from tinyml_rules.cores.in_groups import groups_of
from tinyml_rules.cores.triples import triples_of

FOURS = groups_of(4)
TRIPLES_OF_PIXELS = triples_of(6)
TRIPLES_OF_VECTOR = triples_of(12)
