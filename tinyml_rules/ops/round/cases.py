"""Cases of ROUND: between conversions, and what is refused."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.real_maps import (
    alone_cases,
    island_cases,
    map_models,
)

CASES = island_cases("ROUND")
CASES |= alone_cases("ROUND")
SAMPLES = ("alone",)
MODELS = map_models("ROUND", is_island=True)
