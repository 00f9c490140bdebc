"""Cases of SIN: between conversions, and what is refused."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.real_maps import (
    alone_rejected,
    island_cases,
    map_models,
)

CASES = island_cases("SIN")
REJECTED = alone_rejected("SIN")
MODELS = map_models("SIN", is_island=True)
