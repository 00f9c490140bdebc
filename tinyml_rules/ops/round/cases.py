"""Cases of ROUND: between conversions, and what is refused."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.real_maps import (
    island_cases,
    map_models,
    real_rejected,
)

CASES = island_cases("ROUND")
REJECTED = real_rejected("ROUND")
MODELS = map_models("ROUND", is_island=True)
