"""Cases of CEIL: between conversions, and what is refused."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.real_maps import (
    alone_cases,
    island_cases,
    map_models,
)

CASES = island_cases("CEIL")
CASES |= alone_cases("CEIL")
SAMPLES = ("alone",)
MODELS = map_models("CEIL", is_island=True)
