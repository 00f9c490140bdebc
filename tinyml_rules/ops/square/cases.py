"""Cases of SQUARE: between conversions, and what is refused."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.real_maps import (
    island_cases,
    map_models,
    real_rejected,
)

CASES = island_cases("SQUARE")
REJECTED = real_rejected("SQUARE")
MODELS = map_models("SQUARE", is_island=True)
