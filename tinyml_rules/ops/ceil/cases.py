"""Cases of CEIL: between conversions, and what is refused."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.real_maps import (
    island_cases,
    map_models,
    real_rejected,
)

CASES = island_cases("CEIL")
REJECTED = real_rejected("CEIL")
MODELS = map_models("CEIL", is_island=True)
