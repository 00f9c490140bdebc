"""Cases of COS: between conversions, and what is refused."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.real_maps import (
    alone_rejected,
    island_cases,
    map_models,
)

CASES = island_cases("COS")
REJECTED = alone_rejected("COS")
MODELS = map_models("COS", is_island=True)
