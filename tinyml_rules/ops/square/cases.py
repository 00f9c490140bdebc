"""Cases of SQUARE: between conversions, and what is refused."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.real_maps import (
    alone_rejected,
    island_cases,
    map_models,
)

CASES = island_cases("SQUARE")
REJECTED = alone_rejected("SQUARE")
MODELS = map_models("SQUARE", is_island=True)
