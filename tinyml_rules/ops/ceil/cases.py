"""Cases of CEIL: between conversions, and what is refused."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.real_maps import (
    alone_rejected,
    island_cases,
    map_models,
)

CASES = island_cases("CEIL")
REJECTED = alone_rejected("CEIL")
MODELS = map_models("CEIL", is_island=True)
