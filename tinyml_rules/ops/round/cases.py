"""Cases of ROUND: between conversions, and what is refused."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.real_maps import (
    alone_rejected,
    island_cases,
    map_models,
)

CASES = island_cases("ROUND")
REJECTED = alone_rejected("ROUND")
MODELS = map_models("ROUND", is_island=True)
